// The page's words in two languages. Names and sentences of the tool that have a Chinese row come with the data; others are shown as the tool says them.
const WORDS = {
  "copy": "复制", "copy the command": "复制命令", "copied": "已复制", "selected: copy it yourself": "已选中，请手动复制", "warnings": "警告", "left out: ": "略去：",
  "light": "浅色", "dark": "深色", "as the system": "跟随系统", "colours: {0}": "配色：{0}", "what is shown": "显示内容", "where it comes from": "出处与参数", "view": "视图",
  "of": "量", "log scale": "对数刻度", "map": "热图", "lines": "曲线", "rotors": "转子", "numbers": "数表", "play": "播放", "pause": "暂停", "speed": "速度",
  "positions per second": "每秒位置数", "back": "上一页", "on": "下一页", "there is more: {0}": "当前：{0}", "numbers of {0}": "{0} 的数表", "{0} of {1}": "{1}：{0}",
  "map of {0} over {1} and {2}": "{0}的热图，纵轴{1}，横轴{2}", "curve of {0} over {1}": "{0}随{1}变化的曲线", "greatest {0}": "最大 {0}", "least {0}": "最小 {0}",
  "trained": "训练长度", "wanted": "目标长度", "rotors: the pair by up and down, the position by left and right": "转子：上下键选维度对，左右键移动位置",
  "score of two tokens {0} apart: Σ cos kθ = {1}": "相距 {0} 的两个 token 的得分：Σ cos kθ = {1}", "cos": "余弦", "sin": "正弦",
  "M{0} carries row {1} to row {2}": "M{0} 把第 {1} 行变为第 {2} 行", "its block for pair {0}, dims {1} and {2}:": "维度对 {0}（第 {1}、{2} 维）对应的分块：",
  "The map is smaller than its cells: colours run together, the numbers do not.": "屏幕小于格数：颜色会混合，读数不受影响。",
  "Arrow keys move, Home and End jump, Tab goes on. Every number is as the tool wrote it; the page computes none.":
    "方向键移动，Home/End 跳到两端，Tab 切换控件。每个数字都由工具写出，页面不做计算。",
};

// Encodings whose names are English words, beside their names.
const GLOSS = { sinusoidal: "正弦编码", learned: "可学习编码", floater: "连续动态编码", "sincos-2d": "二维正余弦编码", "sincos-3d": "三维正余弦编码", index: "序号",
  "normalized-index": "归一化序号", rope: "旋转位置编码", "rope-2d": "二维旋转编码", "rope-3d": "三维旋转编码", mrope: "多模态旋转编码", xpos: "可外推旋转编码", alibi: "线性偏置", t5: "对数分桶偏置",
  tupe: "解耦位置编码", kerple: "核化偏置", sandwich: "正弦内积偏置", fire: "函数式偏置", swin: "窗口相对偏置", shaw: "相对位置向量", decomposed: "行列分解相对向量", "transformer-xl": "相对正弦编码",
  deberta: "解耦注意力编码", all: "所有编码" };

function t(word, ...values) {
  const text = language === "zh" ? WORDS[word] ?? word : word;
  return text.replace(/\{(\d)\}/g, (_, i) => values[i]);
}

function nameOf(name) {
  return language === "zh" ? DATA.zh_names?.[name] ?? name : name;
}

function descriptionText(text) {
  return language === "zh" ? DATA.zh?.[text] ?? text : text;
}

// A sentence of the tool, marked as English where the page speaks Chinese and has no row for it.
function descriptionOf(text) {
  return el("span", { lang: language === "zh" && DATA.zh?.[text] === undefined ? "en" : undefined }, descriptionText(text));
}
