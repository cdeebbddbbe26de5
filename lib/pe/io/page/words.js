// The page's words in two languages. Sentences of the tool that have a Chinese row come with the data; others are shown as the tool says them.
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

const NAMES = {
  position: "位置", dim: "维", pair: "维度对", head: "头", query: "查询", key: "键", relative_position: "相对位置", bucket: "桶", distance: "距离", row: "行", column: "列",
  frame: "帧", lag: "间隔", other: "另一位置", rule: "缩放规则", length: "长度", subject: "对象", encoding: "编码", candidate: "方案", pipeline: "计算流程", law: "定律",
  solver: "求解器", statistic: "统计量", rank: "名次", index: "编号", channel: "通道", token: "token", to: "到", from: "从",
  pe: "编码值", angle: "角度", wavelength: "波长", function: "函数", cos: "余弦", sin: "正弦", inv_freq: "频率", frequency: "频率", unscaled: "缩放前频率", ratio: "频率比",
  turns: "圈数", turns_trained: "训练内圈数", seen: "见过的周期份额", axis: "坐标轴", bias: "偏置", slope: "斜率", fall: "下降量", weight: "权重", first: "起", last: "止", width: "宽度",
  pairs: "对数", side: "方向", sum: "余弦和", mean: "均值", abel: "Abel 均值", ones: "全一向量得分", gaussian_mean: "高斯均值", gaussian_sd: "高斯标准差", triangle: "三角上界",
  envelope: "包络", product: "内积", cosine: "余弦相似度", product_min: "最小内积", product_max: "最大内积", product_sd: "内积标准差", cosine_min: "最小余弦", cosine_max: "最大余弦",
  cosine_sd: "余弦标准差", gamma: "保留份额", attention_factor: "注意力因子", leaves: "越界", extension: "可延长倍数", usable_extension: "整体可延长倍数", residual: "残差",
  second: "第二维", query_scale: "查询缩放", key_scale: "键缩放", coordinate: "坐标", table: "表", value_table: "值表", sinusoid: "正弦向量", argument: "自变量",
  compression: "压缩", r1: "核参数一", r2: "核参数二", coordinate_h: "行坐标", coordinate_w: "列坐标", drift: "偏离", matrix: "矩阵", complex: "复数", m: "矩阵元", k: "k",
  shift: "平移 M_k", decay: "得分随距离", spectrum: "频谱", scaling: "缩放规则对比", similarity: "相似度", buckets: "分桶", context: "上下文长度", "base-bound": "底数下界",
  attention: "注意力", precision: "精度", margins: "间距", kernel: "核的特征值", interpolation: "插值界", exposure: "训练所见距离", probe: "统计检验", cost: "开销", plan: "延长方案", laws: "定律",
  share: "份额", norm: "范数", error: "误差", value: "值", verdict: "判定", reason: "理由", statement: "陈述", bound: "界", beyond: "超出部分", at: "所在处", min: "最小", max: "最大",
  score: "得分", negative: "负特征值数", cpd: "条件正定", logits: "得分", scores: "得分", weights: "注意力权重", dialect: "方言", accuracy: "精确度", source: "来源", base: "底数", factor: "倍数",
  first_negative: "首个负值距离", negatives: "负值个数", minimum: "最小值", critical_dim: "临界维度", extrapolation_limit: "外推极限", active: "参与维度", safe_base: "安全底数",
  valid_share: "有效份额", without: "无编码时", of_attention: "占注意力份额", distinct: "不同的数", margin: "最小间距", collisions: "相同的行", rms: "均方根", sd: "标准差", z: "z 值",
  adjacent: "相邻距离", bytes_layer: "每层字节", bytes_once: "一次字节", counter_example: "反例", error_bf16: "bf16 误差", error_bf16_angles: "bf16 角度误差", error_f16: "f16 误差",
  error_f32: "f32 误差", excess: "超出", fastest: "最快对长度", fitted: "拟合行数", flops_layer: "每层运算", flops_once: "一次运算", honest_ratio: "实际比值", null_mean: "零假设均值",
  null_sd: "零假设标准差", obeyed: "是否遵守", published: "论文之界", published_constant: "论文常数", published_ratio: "论文比值", residual_fitted: "拟合残差", resolution: "分辨力",
  saturation: "饱和距离", score_expected: "期望得分误差", score_rms: "得分误差均方根", score_worst: "最大得分误差", sharp: "精确之界", sharp_constant: "精确常数", spread: "离散度",
  sum_assumed: "假定之和", sum_of_squares: "平方和", usable: "可用长度", worst: "最大偏差",
  rows: "行数", positions: "位置数", parameters: "参数量", config: "配置", why: "原因", trained: "训练所得", stored: "存储量", reach: "覆盖范围", output: "输出", k_rotated: "旋转后的 k", q_rotated: "旋转后的 q",
};

// Encodings whose names are English words, beside their names.
const GLOSS = { sinusoidal: "正弦编码", learned: "可学习编码", floater: "连续动态编码", "sincos-2d": "二维正余弦编码", "sincos-3d": "三维正余弦编码", index: "序号",
  "normalized-index": "归一化序号", rope: "旋转位置编码", "rope-2d": "二维旋转编码", mrope: "多模态旋转编码", xpos: "可外推旋转编码", alibi: "线性偏置", t5: "对数分桶偏置",
  tupe: "解耦位置编码", kerple: "核化偏置", sandwich: "正弦内积偏置", fire: "函数式偏置", swin: "窗口相对偏置", shaw: "相对位置向量", "transformer-xl": "相对正弦编码",
  deberta: "解耦注意力编码", all: "所有编码" };

function t(word, ...values) {
  const text = language === "zh" ? WORDS[word] ?? word : word;
  return text.replace(/\{(\d)\}/g, (_, i) => values[i]);
}

function nameOf(name) {
  return language === "zh" ? NAMES[name] ?? name : name;
}

function descriptionText(text) {
  return language === "zh" ? DATA.zh?.[text] ?? text : text;
}

// A sentence of the tool, marked as English where the page speaks Chinese and has no row for it.
function descriptionOf(text) {
  return el("span", { lang: language === "zh" && DATA.zh?.[text] === undefined ? "en" : undefined }, descriptionText(text));
}
