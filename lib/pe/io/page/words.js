// The page's words in two languages. Names and sentences of the tool that have a Chinese row come with the data; others are shown as the tool says them.
const WORDS = {
  "copy": "复制", "copy the command": "复制命令", "copied": "已复制", "selected: copy it yourself": "已选中，请手动复制", "warnings": "警告", "left out: ": "略去：",
  "light": "浅色", "dark": "深色", "as the system": "跟随系统", "colours: {0}": "配色：{0}", "what is shown": "显示内容", "where it comes from": "出处与参数", "view": "视图",
  "of": "量", "log scale": "对数刻度", "map": "热图", "lines": "曲线", "rotors": "转子", "numbers": "数表", "bars": "条形图", "figures": "各值", "published": "已发表的数字", "bars of {0} over {1}": "各{1}的{0}条形图", "play": "播放", "pause": "暂停", "speed": "速度",
  "positions per second": "每秒位置数", "back": "上一页", "on": "下一页", "here: {0}": "当前：{0}", "numbers of {0}": "{0} 的数表", "{0} of {1}": "{1}：{0}",
  "map of {0} over {1} and {2}": "{0}的热图，纵轴{1}，横轴{2}", "curve of {0} over {1}": "{0}随{1}变化的曲线", "greatest {0}": "最大 {0}", "least {0}": "最小 {0}",
  "drawn up to {0}": "画到 {0} 为止", "drawn down to {0}": "画到 {0} 为止", "A log scale shows what is above 0 alone: nothing of {0}.": "对数刻度只能显示大于 0 的值：没有画出 {0}。",
  "A log scale shows what is above 0 alone: some of {0} is not drawn.": "对数刻度只能显示大于 0 的值：{0}有一部分没有画出。",
  "trained": "训练长度", "wanted": "目标长度", "rotors: {0} by up and down, {1} by left and right": "转子：上下键选{0}，左右键选{1}",
  "score of two tokens {0} apart: Σ cos kθ = {1}": "相距 {0} 的两个 token 的得分：Σ cos kθ = {1}",
  "score of two tokens {0} apart without the attention factor: Σ cos kθ = {1}": "相距 {0} 的两个 token 的得分（不含注意力因子）：Σ cos kθ = {1}", "score of two tokens {0} apart: Σ scale·cos kθ = {1}": "相距 {0} 的两个 token 的得分：Σ 缩放·cos kθ = {1}", "cos": "余弦", "sin": "正弦",
  "M{0} carries row {1} to row {2}": "M{0} 把第 {1} 行变为第 {2} 行", "its block for pair {0}, dims {1} and {2}:": "维度对 {0}（第 {1}、{2} 维）对应的分块：",
  "The map is smaller than its cells: colours run together, the numbers do not.": "屏幕小于格数：颜色会混合，读数不受影响。",
  "Arrow keys move, Home and End jump, Tab goes on. Every number is as the tool wrote it; the page computes none.":
    "方向键移动，Home/End 跳到两端，Tab 切换控件。每个数字都由工具写出，页面不做计算。",
};

function t(word, ...values) {
  const text = language === "zh" ? WORDS[word] ?? word : word;
  return text.replace(/\{(\d)\}/g, (_, i) => values[i]);
}

// Names of options and tools break at no hyphen.
function unbroken(text) {
  return text.split(/((?<![\w-])(?:--?|pe-)[a-z][\w-]{0,16}(?![\w-]))/).map((part, i) => (i % 2 ? el("span", { class: "unbroken" }, part) : part));
}

// How many letters of a line a text takes: Chinese ones are twice as wide.
function breadth(text) {
  return [...text].reduce((sum, letter) => sum + (letter >= "\u2e80" ? 2 : 1), 0);
}

function nameOf(name) {
  return language === "zh" ? DATA.zh_names?.[name] ?? name : name;
}

// A field's name, in its quantity's own sense where it has one: a rank is a place in a list there and a matrix's here.
function fieldName(field) {
  const own = `${field.prefix || (parameter("quantity") ?? "")}.${field.short}`;
  return language === "zh" ? DATA.zh_names?.[own] ?? nameOf(field.short) : field.short;
}

function descriptionText(text) {
  return language === "zh" ? DATA.zh?.[text] ?? text : text;
}

// A word of a column: a name or a sentence.
function wordText(word) {
  const text = descriptionText(word);
  return text === word ? nameOf(word) : text;
}

// A sentence of the tool, marked as English where the page speaks Chinese and has no row for it.
function descriptionOf(text) {
  const is_english = language === "zh" && DATA.zh?.[text] === undefined;
  return el("span", { lang: is_english ? "en" : undefined, translate: is_english ? "no" : undefined }, ...unbroken(descriptionText(text)));
}
