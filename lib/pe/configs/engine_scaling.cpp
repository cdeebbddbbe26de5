// How engines read a scaling otherwise than transformers does: what their model files hand on, and
// what their own rules look at.
#include "pe/configs/engine_scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "pe/configs/onnx_reading.hpp"

namespace pe {
namespace {

using Type = Config::Type;

// Types whose model files make a rope of the base alone (SGLang's models/*.py, vLLM's mimo_v2.py,
// mlx-lm's olmo.py).
struct Plain {
  const char* program;
  std::string_view types;
};
constexpr Plain plain[] = {
    {"sglang",
     "mixtral starcoder2 gemma gemma2 gemma3 gemma3_text phi persimmon stablelm granitemoe olmo "
     "baichuan dbrx gptj embedding_gemma2_text zaya spark2_5 muse_glimmer muse_spark"},
    {"vllm", "mimo_v2_flash"},
    {"mlx", "olmo"}};

bool is_one_of(const Reader& reader, std::string_view types) {
  const std::vector<std::string> listed = words(std::string(types));
  return std::ranges::any_of(words(reader.family().types), [&](const std::string& type) {
    return std::ranges::count(listed, type) > 0;
  });
}

// SGLang's gemma3n_causal.py hands the full layers' object on, gemma4_causal.py the rule and the
// part alone: a factor is 1 there, by which every other rule than proportional is plain.
bool is_gemma_without(const Reader& reader, const LayerType& layer, std::string_view name) {
  if (is_one_of(reader, "gemma3n_text")) return layer.type == "sliding_attention";
  return is_one_of(reader, "gemma4_text gemma4_unified_text") && name != "proportional";
}

void compare_plain(Reader& reader, const LayerType& layer, std::string_view name) {
  for (const Plain& row : plain)
    if (is_one_of(reader, row.types)) reader.remember(row.program, "scaling", "none");
  if (is_gemma_without(reader, layer, name)) reader.remember("sglang", "scaling", "none");
  if (name != "proportional") return;
  for (const char* program : {"vllm", "sglang"})  // gemma4_rope.py, rope_variant.py: none
    reader.remember(program, "factor", "");
}

// Models of latent attention, which have a yarn of their own in vLLM and SGLang.
bool is_latent(const Reader& reader) {
  return std::ranges::count(strings_of(reader.family().find("width")), "qk_rope_head_dim") > 0;
}

// SGLang's yarn counts a pair of mscale of which one is 0, and multiplies by attn_factor (its
// yarn.py, factory.py); attention_factor it does not read.
void compare_sglang(Reader& reader, const RopeObject& object) {
  const auto inside = [&](const char* key) -> std::optional<double> {
    for (const std::string& path : object.paths(key))
      if (const Config::Value* value = reader.config().find(path);
          value && value->type == Type::number)
        return Decimal(value->text).value();
    return {};
  };
  const auto above = inside("mscale"), below = inside("mscale_all_dim"),
             times = inside("attn_factor"), factor = inside("factor");
  const bool is_pair = above && below && (*above == 0 || *below == 0);
  if (!factor || (!times && !is_pair)) return;
  const auto grown = [&](double k) { return *factor <= 1 ? 1 : 0.1 * k * std::log(*factor) + 1; };
  double value = grown(1);
  if ((above && below) || is_latent(reader))
    value = grown(above.value_or(1)) / grown(below.value_or(0));
  reader.remember("sglang", "attention-factor", fmt::format("{:.17g}", value * times.value_or(1)));
}

// vLLM and SGLang turn by alpha, whatever the length, where a dynamic object has one.
void compare_alpha(Reader& reader, const RopeObject& object) {
  for (const std::string& path : object.paths("alpha")) {
    const Config::Value* alpha = reader.config().find(path);
    if (!alpha || alpha->type != Config::Type::number) continue;
    reader.know(path);
    for (const char* program : {"vllm", "sglang"}) {
      reader.remember(program, "scaling", "ntk");
      reader.remember(program, "alpha", alpha->text);
      reader.remember(program, "factor", "");
    }
    reader.warn_unless(
        "vllm sglang",
        fmt::format("{} {} is not read, as in transformers; vLLM and SGLang raise the base by it "
                    "at every length (--dialect vllm, sglang)",
                    reader.config().name(path), alpha->text));
    return;
  }
}

// vLLM stretches by the longest length against max_trained_positions, once and for all.
void compare_trained(Reader& reader, const RopeObject& object) {
  for (const std::string& path : object.paths("max_trained_positions")) {
    const Config::Value* trained = reader.config().find(path);
    if (!trained || trained->type != Config::Type::number || !reader.has("max-position")) continue;
    reader.know(path);
    reader.remember("vllm", "growth", "per-length");
    reader.remember("vllm", "seq-len", reader.text("max-position"));
    reader.remember("vllm", "original-max-position", trained->text);
    reader.warn_unless("vllm",
                       fmt::format("{} {} is not read, as in transformers; vLLM stretches from it "
                                   "(--dialect vllm)",
                                   reader.config().name(path), trained->text));
    return;
  }
}

// vLLM, SGLang and ONNX's builder multiply longrope's two tables by these, whatever the class of
// the model does.
void compare_magnitudes(Reader& reader, const RopeObject& object) {
  for (const auto& [key, parameter] :
       {std::pair{"short_mscale", "short-mscale"}, {"long_mscale", "long-mscale"}})
    for (const std::string& path : object.paths(key))
      if (const Config::Value* value = reader.config().number(path))
        for (const char* program : {"vllm", "sglang", "onnxruntime"})
          reader.remember(program, parameter, value->text);
}

// The original length of programs that look for it elsewhere, or have one of their own where it
// does not stand. mlx-lm reads the rotary object alone; llama.cpp's converter that first, then the
// key at the top, as TensorRT-LLM does the other way round.
void compare_lengths(Reader& reader, const RopeObject& object, std::string_view name) {
  if (name != "yarn" && name != "llama3") return;
  constexpr const char* key = "original_max_position_embeddings";
  const Config::Value* inside = nullptr;
  for (const std::string& path : object.paths(key))
    if (!inside) inside = reader.config().number(path);
  const bool outer = reader.config().number(key) != nullptr;
  if (!inside) reader.remember("mlx", "original-max-position", name == "yarn" ? "4096" : "8192");
  if (!inside && !outer) reader.remember("trtllm", "original-max-position", "1024");
  if (inside && outer)
    reader.remember("ggml", "original-max-position", inside->text);
  else if (!inside && !outer && name == "llama3")
    reader.remember("ggml", "original-max-position", "8192");
}

// vLLM's ramp of yarn is that of four times the original length where the object has sections of
// axes: its cache is so long, for the positions of videos, and the ramp is taken from it.
void compare_sections(Reader& reader, const RopeObject& object) {
  if (!reader.has("original-max-position") || is_latent(reader)) return;
  const Real length = Decimal(reader.text("original-max-position")).real();
  for (const std::string& path : object.paths("mrope_section"))
    if (reader.config().find(path))
      reader.remember("vllm", "original-max-position", Real(4 * length).str(30));
}

}  // namespace

void compare_truncate(Reader& reader, const RopeObject& object, std::string_view key) {
  for (const std::string& path : object.paths(key)) {
    const Config::Value* value = reader.config().find(path);
    if (!value && !reader.config().is_null(path)) continue;
    reader.remember("vllm", "truncate", value ? value->text : "false");
    return;
  }
}

void compare_engines(Reader& reader, const LayerType& layer, const RopeObject& object,
                     const std::string& name) {
  if (name == "yarn") compare_sglang(reader, object);
  if (name == "yarn") compare_sections(reader, object);
  if (name == "longrope") compare_magnitudes(reader, object);
  if (name == "dynamic") compare_trained(reader, object);
  if (name == "dynamic") compare_alpha(reader, object);
  compare_lengths(reader, object, name);
  read_as_onnx(reader, object, name);
  compare_plain(reader, layer, name);
}

}  // namespace pe
