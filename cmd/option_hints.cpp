// Tables of words, and when each is said.
#include "option_hints.hpp"

#include <span>

#include "option_habits.hpp"
#include "option_names.hpp"

namespace pe::cmd {
namespace {

// What is wanted where no option is.
struct Hint {
  const char* words;
  const char* needs;  // an option, or a word without one, that the subcommand has
  const char* says;
};
// These come before the options that a word is near to.
constexpr Hint surer_hints[] = {
    {"axes-order axis-order dim-order tensor-layout tensor-format input-layout qkv-layout "
     "qkv-format q-layout data-format bshd bhsd sbhd thd",
     "axes", "did you mean --axes? It takes bshd, sbhd, thd and their like"},
    {"fail-fast exitfirst maxfail stop-on-error x", "report",
     "everything is looked at, and the exit code is 1 where anything fails"},
    {"exit-zero no-fail ignore-errors allow-failure soft-fail warn-only", "report",
     "the exit code is 1 where anything fails: … || true lets it pass"},
    {"diff show-diff", "accept", "pe-verify compare A B shows two dumps value by value"},
    {"plot picture png draw show", "accept", "pe-plot draws a dump: pe-plot FILE -o FILE.png"},
    {"file dump filename file-name", "input", "did you mean --input?"},
    {"file dump filename file-name", "random",
     "tensors are told by --q, --k, --v and --x FILE[:TENSOR]"},
    {"file dump", "tidy",
     "pe-verify check ENCODING --file judges a dump, pe-verify identify FILE tells what it is, and "
     "-o FILE writes one"},
    {"generate gen make create", "accept", "pe-gen makes tables: pe-gen ENCODING -o FILE"},
    {"ci", "annotations", "--annotations github and --report FILE.xml are for CI"},
    {"annotate annotation github gha", "annotations", "did you mean --annotations github?"},
    {"dry-run validate check-only lint collect-only list parse-only", "shard",
     "a manifest is read whole before its first check runs, and --schema prints what it may hold"},
    {"base-dir basedir root root-dir rootdir cwd workdir chdir directory", "shard",
     "files are looked for beside the manifest that names them"},
    {"strict werror", "shard", "a check that could not be told makes the exit code 2 anyway"},
    {"equal-nan nan-ok nan-equal nan-equals ignore-nan skip-nan nans nan", "ulps",
     "a NaN equals a NaN here, whatever is allowed"},
    {"allow-drift drift allow-storage storage lenient loose", "accept",
     "--accept drift is the default, and --accept storage lets more pass"},
    {"summary details full", "report", "--report FILE.md is a page for a pull request"},
    {"a b left right first second", "ulps",
     "two dumps stand without an option: pe-verify compare A B"},
    {"matrix m", "offsets", "pe-analyze shift ENCODING --view matrix shows M_k"},
    {"head head-index", "queries", "every head is looked at; pe-plot --at head=0 draws one"},
    {"qkv qkv-proj tensors", "x",
     "tensors are told by --q, --k, --v and --x FILE[:TENSOR], or drawn by --random"},
    {"qkv qkv-proj tensors", "random",
     "tensors are told by --q, --k, --v FILE[:TENSOR], or drawn by --random"},
    {"cos sin cosine sine cosines sines cos-file sin-file cos-cached "
     "sin-cached cos-sin cos-sin-cache cache bias table",
     "accept", "--file takes each array, once for each: --file cos.npy --file sin.npy"},
    {"max-bias bias-max alibi-bias-max", "slopes",
     "the slopes are 2^(−8·h/n), and nothing else than 8 is known"},
    {"port host socket address listen", "timeout",
     "nothing listens here: pe-verify serve reads requests from standard input, a line each"},
    {"end stop step stride", "positions", "--positions START:STOP:STEP says where they are"},
    {"rope-freq-scale freq-scale rope-scale-linear", "scaling",
     "it is one over a factor: --scaling linear --factor 4 is llama.cpp's 0.25"},
    {"yarn-ext-factor ext-factor", "scaling", "--scaling yarn mixes in full, as ext-factor 1 does"},
    {"hf-overrides override-kv overrides json-model-override-args model-args", "config",
     "--config takes JSON as it stands: --config '{\"model_type\": \"llama\", …}'"},
    {"tensor-parallel-size tp tp-size pipeline-parallel-size world-size ngl n-gpu-layers "
     "gpu-layers gpu-memory-utilization",
     "threads", "every device has the same table, and it is computed on the processor"},
    {"trust-remote-code revision token hf-token cache-dir local-files-only", "config",
     "nothing here reads the network or runs a model's code: --config FILE reads its config.json"},
    {"--q --k --query --key --queries --keys --after after rotated turned", "before",
     "--before FILE has the vectors as they were, and --file FILE those that were turned"},
    {"pairs num-pairs n-pairs half-dim", "rotary-dim",
     "a pair has two channels: --dim 128 has 64 pairs"},
    {"inverse reverse inverted backward backwards negative clockwise", "direction",
     "--direction backward turns the other way"},
    {"model config", "file-layout",
     "nothing is said beforehand here: pe-verify check --model NAME --file FILE takes it"},
    {"exact tier worst-tier", "accept", "--accept exact lets nothing else pass"},
    {"expected expect reference ref golden actual got ours theirs", "accept",
     "the encoding's options, or --model, say what is expected, and --file what is there; "
     "pe-verify "
     "compare A B takes two files"},
    {"only key keys name names array tensor fields field", "ulps",
     "one array of a file is FILE:NAME, as in compare a.npz:cos b.npz:cos"},
    {"decimals decimal places digits precision", "ulps", "--atol 1e-5 is five decimals"},
    {"out-dir output-dir outdir folder directory", "output",
     "-o names a file, which may lie in a folder: -o FOLDER/FILE.npz"},
    {"o", "output", "one dash: -o FILE"},
    {"layer layers layer-number layer-idx", "layer-type",
     "one table serves every layer; where layers are of several kinds --layer-type names one"},
    {"temperature tau", "scale", "--scale multiplies the scores: it is one over a temperature"},
    {"log log-scale logx logy loglog semilog", "versus",
     "pe-plot draws by powers of ten where the numbers ask for it"},
    {"transpose t permute", "tidy", "rows are positions; --tidy has one line for each number"},
    {"query query-position query-pos", "queries",
     "--queries says which are looked at, last or all; --q FILE brings queries of your own"},
    {"law", "offsets", "one law alone is pe-verify LAW ENCODING"},
    {"file files dump input with and to other second", "ulps",
     "two dumps stand without an option: pe-verify compare A B"},
    {"manifest file files config input", "schema",
     "the manifest stands without an option: pe-verify run MANIFEST.json"},
    {"reports file files input", "REPORT",
     "reports stand without an option: pe-verify merge 1.json 2.json"},
    {"file path input", "FILE", "the file stands without an option"},
    {"models encodings scalings dialects properties laws fields causes quantities formats",
     "CATALOGUE", "a catalogue's name stands without an option, as in list models"},
    {"model encoding kind grep filter search select", "CATALOGUE",
     "words of the rows that are wanted stand behind: list "
     "models llama"},
    {"format output-format", "names", "--json, --names or --markdown"},
    {"all everything", "names", "without a catalogue's name all are printed"},
    {"height width rows cols columns size hw patches", "grid", "--grid HxW"},
    {"image-size img-size patch-size resolution", "grid",
     "--grid HxW counts the patches: 224 in patches of 16 are 14x14"},
    {"heads head num-heads n-heads n-head nheads num-attention-heads", "rotary-dim",
     "all heads are alike here, and none is counted: --dim is the width of one"},
    {"hidden-size hidden-dim d-model n-embd embed-dim embedding-dim model-dim", "rotary-dim",
     "--dim is the width of one head, the hidden size over the number of heads"},
    {"no-causal non-causal not-causal bidirectional full", "symmetric",
     "--symmetric has no mask, and keys after the query count as those before"},
    {"unidirectional decoder is-decoder decoder-only no-bidirectional", "causal",
     "--causal is the decoder's form"},
    {"encoder is-encoder encoder-only no-causal non-causal", "bidirectional",
     "--bidirectional is the encoder's form"},
    {"k shift shifts lag", "offsets",
     "--offsets K,... are the shifts that are tried; pe-analyze shift shows M_k"},
    {"model encoding config", "ulps",
     "pe-verify check --model NAME --file FILE asks what is meant"},
    {"dtypes types precisions", "pipelines",
     "--pipelines says what to compare, as in --pipelines fp16,bf16"},
    {"freqs-cis", "dialect", "--dialect meta writes freqs_cis"},
    {"gguf gguf-file", "config", "--config FILE.gguf reads what it says of positions"},
    {"memory mem ram max-memory memory-limit", "help",
     "the variable says it: PE_MEMORY=16G before the command"},
    {"time-limit time-out max-time wall-time", "timeout", "did you mean --timeout?"},
    {"view", "versus", "there is one view of this quantity; --fields picks its columns"},
    {"lang language locale zh chinese dark light theme", "output",
     "a page (-o FILE.html) has both languages and both themes"},
    {"torch pytorch numpy jax tensorflow tf onnx", "dialect",
     "-o FILE.npy, .npz or .safetensors is for all of them; --dialect computes as a program does"},
    {"attention softmax attn attention-weights", "random", "--fields attention, and output with v"},
    {"example examples usage man manual doc docs", "help", "--help ends with examples"},
    {"png pdf svg picture", "output", "pe-plot draws what this writes: … | pe-plot -o FILE.png"},
};
constexpr Hint hints[] = {
    {"q quiet silent", "report", "the exit code says it all, >/dev/null the rest"},
    {"q quiet silent", "output", "stdout is the result; 2>/dev/null keeps talk away"},
    {"json", "report", "--report - is JSON on stdout"},
    {"junit xml", "report", "--report FILE.xml is JUnit"},
    {"format output-format", "report",
     "the suffix says it: --report FILE.xml is JUnit, .md Markdown"},
    {"markdown md", "report", "--report FILE.md is Markdown"},
    {"json", "format", "--format json"},
    {"csv", "format", "--format csv, which stdout has anyway"},
    {"npy", "format", "--format npy"},
    {"npz", "format", "--format npz"},
    {"hdf5 h5", "format", "--format hdf5"},
    {"html page", "format", "--format html"},
    {"safetensors", "format", "--format safetensors"},
    {"raw binary", "format", "--format raw"},
    {"plot figure image draw show view", "output",
     "pe-plot draws what this writes: … | pe-plot -o FILE.png"},
    {"print stdout console", "output", "it goes to stdout where there is no -o"},
    {"force overwrite yes y clobber", "output",
     "files are overwritten anyway, unless --no-clobber"},
    {"force overwrite yes y clobber", "report",
     "files are overwritten anyway, unless --no-clobber"},
    {"progress no-progress bar no-bar", "help",
     "progress is shown on terminals alone; 2>/dev/null keeps it away"},
    {"color colour no-color no-colour", "help", "NO_COLOR=1 keeps colours away"},
    {"junit-xml junitxml", "report", "--report FILE.xml is JUnit"},
    {"offset start start-pos first begin shift past past-length past-key-values-length "
     "cache-position "
     "cache-len kv-len",
     "positions", "--positions START:STOP says where they begin"},
    {"interleaved interleave is-interleaved rope-interleave gptj-style traditional", "pairing",
     "--pairing adjacent, where the codebase's pairs are 2j, 2j+1"},
    {"neox neox-style is-neox-style rotate-half", "pairing", "--pairing halves, the default"},
    {"style rope-style", "pairing", "--pairing halves or --pairing adjacent"},
    {"tol tolerance eps epsilon abs absolute allclose isclose close threshold max-error max-diff",
     "atol", "--atol and --rtol are as numpy has them, --ulps counts numbers between"},
    {"tol tolerance atol rtol eps epsilon ulps threshold max-error max-diff error-bound", "accept",
     "bounds are derived, and --accept names the worst tier that passes; pe-verify compare takes "
     "--atol and --rtol"},
    {"only select laws skip exclude", "accept", "one law alone is pe-verify LAW ENCODING"},
    {"heads num-heads n-heads n-head nheads num-attention-heads", "base",
     "all heads are alike here, and none is counted"},
    {"dim d-model hidden-size head-dim embed-dim embedding-dim width channels d", "heads",
     "a bias is added to scores: it has --heads, and no channels"},
    {"layers num-layers n-layers n-layer num-hidden-layers layer batch batch-size", "length",
     "one table serves a whole batch, and every layer"},
    {"random", "fields", "pe-apply --random draws queries and keys"},
    {"seed random-seed", "fields", "nothing is drawn here"},
    {"input tensor tensors file qkv", "x",
     "tensors are told by --q, --k, --v and --x FILE[:TENSOR], or drawn by --random"},
    {"input tensor tensors file qkv", "random",
     "tensors are told by --q, --k, --v FILE[:TENSOR], or drawn by --random"},
    {"encoding pe quantity property", "help",
     "names stand without an option: pe-gen rope, pe-verify check rope, pe-analyze decay rope"},
    {"distance distances max-distance lag lags max-lag", "versus",
     "--length N looks at distances below N"},
    {"freqs freq frequencies", "fields", "--fields inv_freq"},
    {"delimiter sep header no-header digits round decimals", "tidy",
     "a csv has commas, a line of names and every digit that counts"},
    {"shape", "length", "--length says how many positions, --dim how many channels"},
    {"dropout drop p-drop", "fields", "nothing is dropped: numbers come as the formula has them"},
    {"verbose v vv verbosity log-level loglevel", "shard",
     "--report FILE.md tells all of each check"},
    {"checkpoint ckpt model-path model-dir model-file path", "config",
     "--config FOLDER reads the config.json of a checkpoint"},
    {"metric measure statistic", "versus",
     "what is measured stands in columns: --fields picks some"},
    {"by delta step shift lag steps", "k", "did you mean --k?"},
    {"only check name select filter grep match k", "shard",
     "a manifest is run whole; pe-verify check does one check"},
    {"degrees radians deg rad", "fields", "angles are in radians: --fields angle"},
    {"source formula latex about definition paper reference citation", "help",
     "--help says it, and list encodings names the papers"},
    {"benchmark bench time timing profile", "threads",
     "a shell times it: time pe-gen … >/dev/null"},
    {"gpu cuda cpu device", "threads", "all is computed on the processor, by --threads"},
};

std::optional<std::string> hint_for(const CLI::App& app, const std::string& name,
                                    std::span<const Hint> among) {
  for (const Hint& row : among)
    if (is_among(name, row.words) && (has(app, row.needs) || app.get_option_no_throw(row.needs)))
      return row.says;
  return {};
}

}  // namespace

std::optional<std::string> surer_hint(const CLI::App& app, const std::string& name) {
  return hint_for(app, name, surer_hints);
}

std::optional<std::string> hint(const CLI::App& app, const std::string& name) {
  return hint_for(app, name, hints);
}

}  // namespace pe::cmd
