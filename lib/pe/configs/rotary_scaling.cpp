// The scaling of a rotary config: the rule's name, and what the rule reads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "pe/base/error.hpp"
#include "pe/configs/onnx_reading.hpp"
#include "pe/configs/own_scalings.hpp"
#include "pe/configs/reader.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe {
namespace {

using Type = Config::Type;

Type type_of(const Parameter& parameter) {
  return parameter.type == Parameter::Type::flag      ? Type::boolean
         : parameter.type == Parameter::Type::numbers ? Type::list
                                                      : Type::number;
}

std::string spelled(const JsonNode& value) {
  if (value.type != JsonNode::Type::list) return value.text;
  return fmt::format("{}", fmt::join(strings_of(&value), ","));
}

// The object's value, the file's or what the class holds in its place.
bool take_inside(Reader& reader, const RopeObject& object, std::string_view parameter, Type type,
                 std::string_view key, std::string_view rule = {}) {
  if (reader.take(parameter, type, object.paths(key), rule)) return true;
  const JsonNode* held = object.held ? object.held->find(key) : nullptr;
  return held && reader.set_default(parameter, spelled(*held));
}

// Models of latent attention, which have a yarn of their own in vLLM and SGLang.
bool is_latent(const Reader& reader) {
  return std::ranges::count(strings_of(reader.family().find("width")), "qk_rope_head_dim") > 0;
}

double number_of(const Reader& reader, std::string_view name) {
  return Decimal(reader.text(name)).value();
}

// Names of transformers and of older checkpoints that are ours by another name.
std::string scaling_name(const Reader& reader, const RopeObject& object, std::string type) {
  const Family& family = reader.family();
  if (const JsonNode* renames = family.find("renames"))
    if (const JsonNode* other = renames->find(type)) type = other->text;
  if (type == "default" || type == "mrope") return "none";
  if (type == "su") return "longrope";
  if (type == telechat3_yarn) return "yarn";
  const auto alpha = object.paths("alpha");
  const bool fixed = std::ranges::any_of(
      alpha, [&](const std::string& path) { return reader.config().find(path) != nullptr; });
  if (type == "dynamic" && fixed && family.find("alpha")) return "ntk";  // whatever the length
  return type;
}

// The key that names the rule, or "".
std::string type_key(const Reader& reader, const RopeObject& object) {
  for (const std::string& where : object.where)
    for (const char* key : {".rope_type", ".type"})
      if (reader.config().find(where + key) && (object.typed || key != std::string_view(".type")) &&
          (object.type_alone || key != std::string_view(".type") || where != "rope_scaling"))
        return where + key;
  return "";
}

void take_name(Reader& reader, const RopeObject& object) {
  const std::string key = type_key(reader, object);
  if (key.empty()) {
    if (!object.held) return;
    for (const char* held : {"rope_type", "type"})
      if (const JsonNode* type = object.held->find(held)) {
        reader.set_default("scaling", type->text);
        return;
      }
    return;
  }
  const Config& config = reader.config();
  reader.take("scaling", Type::string, {key});
  for (const std::string& where : object.where)
    for (const char* other : {".rope_type", ".type"})
      if (const Config::Value* value = config.find(where + other);
          value && where + other != key && value->text != reader.text("scaling"))
        reader.warn(fmt::format(
            "{} is {} but {} is {}: the first counts, for rope_type goes before "
            "type",
            config.name(key), reader.text("scaling"), config.name(where + other), value->text));
  const std::string type = reader.text("scaling"), name = scaling_name(reader, object, type);
  if (name != type)
    reader.set("scaling", name, "config " + config.name(key),
               fmt::format("rope_type {} is the rule {}", type, name));
}

// The class's own key of the longest position, where it reads the usual one too late for this.
bool take_own_length(Reader& reader) {
  const JsonNode* key = reader.family().find("length");
  if (!key) return false;
  if (reader.take("original-max-position", Type::number, {key->text},
                  "there is no original_max_position_embeddings"))
    return true;
  const JsonNode* holds = reader.family().find("holds");
  return reader.set_default("original-max-position",
                            text_of(holds ? holds->find("max_position_embeddings") : nullptr));
}

void take_original(Reader& reader, const LayerType& layer, const RopeObject& object) {
  constexpr const char* key = "original_max_position_embeddings";
  const JsonNode* holds = reader.family().find("holds");
  const JsonNode* held = holds ? holds->find(key) : nullptr;
  if (layer.own || object.nested) {
    if (take_inside(reader, object, "original-max-position", Type::number, key)) return;
  } else {
    // One that the class holds at the top stands there as if the file had it.
    std::vector<std::string> paths = reader.spellings(key);
    if (!held || reader.config().find(key)) {
      for (std::string& path : object.paths(key)) paths.push_back(std::move(path));
    }
    if (reader.take("original-max-position", Type::number, paths,
                    "the outer one goes before the one inside, as transformers has it"))
      return;
    if (held && !object.where.empty()) {
      for (const std::string& path : object.paths(key))
        if (const Config::Value* inside = reader.config().find(path);
            inside && inside->text != held->text)
          reader.warn(fmt::format(
              "{} {} is not read: the class of {} holds {} {} at the top, which "
              "goes before it",
              reader.config().name(path), inside->text, reader.family().name(), key, held->text));
      for (const std::string& path : object.paths(key)) reader.know(path);
    }
    if (held && reader.set_default("original-max-position", held->text)) return;
    if (object.held)
      if (const JsonNode* inside = object.held->find(key))
        if (reader.set_default("original-max-position", inside->text)) return;
  }
  if (take_own_length(reader)) return;
  if (reader.has("max-position"))
    reader.set("original-max-position", reader.text("max-position"),
               "config max_position_embeddings", "there is no original_max_position_embeddings");
}

// The original length that transformers 4.57 took: for yarn the one inside, for longrope the one at
// the top, else the longest; and longrope's factor from it, whatever stands inside.
void compare_v4(Reader& reader, const RopeObject& object, const std::string& name) {
  constexpr const char* key = "original_max_position_embeddings";
  if (!reader.has("max-position") || (name != "yarn" && name != "longrope")) return;
  const Config::Value* stated = nullptr;
  if (name == "longrope")
    stated = reader.config().number(key);
  else
    for (const std::string& path : object.paths(key))
      if (!stated) stated = reader.config().number(path);
  const std::string longest = reader.text("max-position"),
                    original = stated ? stated->text : longest;
  if (reader.has("original-max-position") &&
      Decimal(reader.text("original-max-position")).real() != Decimal(original).real())
    reader.differs_in_v4("original-max-position", original,
                         name == "yarn" ? "which reads the key inside rope_scaling alone"
                                        : "which reads the key at the top alone");
  if (name != "longrope" || reader.has("attention-factor")) return;
  const double start = Decimal(original).value(),
               factor = stated                 ? Decimal(longest).value() / start
                        : reader.has("factor") ? number_of(reader, "factor")
                                               : 1,
               ours = reader.has("factor")
                          ? number_of(reader, "factor")
                          : Decimal(longest).value() / number_of(reader, "original-max-position");
  const double taken = factor <= 1 ? 1 : std::sqrt(1 + std::log(factor) / std::log(start));
  if (factor != ours || reader.text("original-max-position") != original)
    reader.differs_in_v4("attention-factor", fmt::format("{:.17g}", taken),
                         "of max_position_embeddings and the original length at the top");
}

const Scaling& scaling_named(const Reader& reader, const RopeObject& object,
                             const std::string& name) {
  try {
    return find_scaling(name);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: key {}: {}", reader.config().file,
                                 reader.config().name(type_key(reader, object)), error.what()));
  }
}

// longrope's short_mscale and long_mscale: a class of transformers reads them where its record says
// so (PhiMoE's, in place of attention_factor); other code, and files of no known family, do.
bool overlooks_magnitude(const Reader& reader, const RopeObject& object, std::string_view name) {
  const Family& family = reader.family();
  if (name.ends_with("-mscale")) return family.find("class") && !family.find("mscales");
  return name == "attention-factor" && family.find("mscales") &&
         std::ranges::any_of(object.paths("short_mscale"), [&](const std::string& path) {
           return reader.config().find(path) != nullptr;
         });
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

// A file that says ntk itself means the code beside GTE's checkpoints, which vLLM follows: the
// fixed form, or the mixed one where mixed_b stands. transformers has no rule of this name.
bool says_ntk(const Reader& reader, const RopeObject& object) {
  const std::string key = type_key(reader, object);
  const Config::Value* type = key.empty() ? nullptr : reader.config().find(key);
  return type && type->text == "ntk";
}

void take_form(Reader& reader, const RopeObject& object) {
  take_inside(reader, object, "factor", Type::number, "factor");
  const bool mixed = take_inside(reader, object, "mixed-b", Type::number, "mixed_b");
  reader.set("ntk-form", mixed ? "mixed" : "fixed", "rope_type ntk",
             "as the code beside GTE's checkpoints and vLLM read it");
  if (!reader.family().find("ntk"))
    reader.warn_unless("vllm",
                       "rope_type ntk is no rule of transformers: it is read as vLLM and the code "
                       "beside GTE's checkpoints do (--ntk-form)");
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

// A null where a class asks for true or false is false to it.
bool take_null_flag(Reader& reader, const RopeObject& object, std::string_view key) {
  for (const std::string& path : object.paths(key))
    if (reader.config().is_null(path)) {
      reader.set("truncate", "false", "config " + reader.config().name(path), "null is not true");
      return true;
    }
  return false;
}

// By layer type transformers reads the key at the top alone; vLLM hands get_rope a layer type's
// object whole, and a null there is false.
void compare_truncate(Reader& reader, const RopeObject& object, std::string_view key) {
  for (const std::string& path : object.paths(key)) {
    const Config::Value* value = reader.config().find(path);
    if (!value && !reader.config().is_null(path)) continue;
    reader.remember("vllm", "truncate", value ? value->text : "false");
    return;
  }
}

}  // namespace

std::string read_scaling(Reader& reader, const LayerType& layer, const RopeObject& object) {
  if (const JsonNode* stretch = reader.family().find("stretch"))
    return take_stretch(reader, *stretch);
  if (reader.family().find("plain_only")) return "none";
  take_name(reader, object);
  if (!reader.has("scaling") || reader.text("scaling") == "none") return "none";
  const std::string name = reader.text("scaling");
  if (reader.family().find("unscaled"))
    reader.warn(fmt::format("transformers' class of {} refuses rope_type {}: it turns plainly",
                            reader.family().name(), name));
  const Scaling& scaling = scaling_named(reader, object, name);
  const bool ntk = says_ntk(reader, object);
  bool original = false;
  for (const Parameter& parameter : scaling.parameters) {
    const std::string_view parameter_name = parameter.name;
    original = original || (parameter_name == "original-max-position" && name != "dynamic");
    if (!parameter.config || parameter_name == "original-max-position" ||
        (name == "ntk" && (parameter_name != "alpha" || ntk)))
      continue;
    if (parameter_name == "truncate" && (layer.own || object.nested)) {
      compare_truncate(reader, object, parameter.config);
      continue;
    }
    if (overlooks_magnitude(reader, object, parameter_name)) continue;
    if (parameter_name == "truncate" && take_null_flag(reader, object, parameter.config)) continue;
    take_inside(reader, object, parameter_name, type_of(parameter), parameter.config);
  }
  if (ntk)
    take_form(reader, object);
  else if (name == "ntk")
    for (const std::string& path : object.paths("factor")) reader.know(path);
  if (const JsonNode* flat = reader.family().find("flat"); flat && object.flat && name == "yarn" &&
                                                           flat->find("fills") &&
                                                           !reader.has("attention-factor"))
    reader.set_default("attention-factor", text_of(flat->find("fills")->find("attention_factor")));
  if (original) take_original(reader, layer, object);
  if (const std::string key = type_key(reader, object); !key.empty()) take_grown_less(reader, key);
  if (name == "yarn") compare_sglang(reader, object);
  if (name == "yarn") compare_sections(reader, object);
  if (name == "longrope") take_open_magnitude(reader);
  if (name == "longrope") compare_magnitudes(reader, object);
  if (name == "dynamic") compare_trained(reader, object);
  if (name == "dynamic") compare_alpha(reader, object);
  if (original) compare_lengths(reader, object, name);
  read_as_onnx(reader, object, name);
  const JsonNode* v4 = reader.family().find("v4");
  if (original && object.legacy && !layer.own && v4 && !v4->find("otherwise"))
    compare_v4(reader, object, name);
  return name;
}

}  // namespace pe
