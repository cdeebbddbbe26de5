// onnxruntime-genai's builder: a class for each architecture, few of which read a scaling of their
// own (models/builders/base.py, llama.py, phi.py, hunyuan.py).
#include "pe/configs/onnx_reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

namespace pe {
namespace {

constexpr const char* program = "onnxruntime";

template <std::size_t n>
bool is_among(const Reader& reader, const std::array<std::string_view, n>& types) {
  const Config::Value* type = reader.config().find("model_type");
  return type && std::ranges::find(types, type->text) != types.end();
}

void refuse(Reader& reader, std::string_view why) {
  reader.tell(program, fmt::format("onnxruntime-genai's builder does not take it: {}", why));
}

// mscale alone is the magnitude itself; the ramp wants both betas and room on either side.
void read_yarn(Reader& reader, const RopeObject& object) {
  const auto inside = [&](const char* key) -> std::optional<double> {
    for (const std::string& path : object.paths(key))
      if (const Config::Value* value = reader.config().number(path))
        return Decimal(value->text).value();
    return {};
  };
  const double above = inside("mscale").value_or(0), below = inside("mscale_all_dim").value_or(0);
  if (above > 0 && below <= 0)
    reader.remember(program, "attention-factor", fmt::format("{:.17g}", above));
  const auto fast = inside("beta_fast"), slow = inside("beta_slow");
  if (!fast || !slow) return refuse(reader, "a yarn wants beta_fast and beta_slow");
  const auto number = [&](const char* name) { return Decimal(reader.text(name)).value(); };
  if (!reader.has("dim") || !reader.has("base") || !reader.has("original-max-position")) return;
  const double half = number("dim") / 2;
  const auto end = [&](double turns) {
    return half * std::log(number("original-max-position") / (turns * 2 * std::numbers::pi)) /
           std::log(number("base"));
  };
  if (!(0 < end(*fast) && end(*fast) < end(*slow) && end(*slow) < half - 1))
    refuse(reader, "this yarn's ramp reaches beyond the pairs");
}

}  // namespace

void read_as_onnx(Reader& reader, const RopeObject& object, const std::string& scaling) {
  constexpr std::array<std::string_view, 3> llamas{"llama", "nemotron", "smollm3"};
  constexpr std::array<std::string_view, 4> phis{"phi3", "phi3small", "phi3_v", "phi4mm"};
  constexpr std::array<std::string_view, 1> moes{"phimoe"}, hunyuans{"hunyuan_v1_dense"},
      fixed{"gpt_oss"}, parts{"phi"};
  if (is_among(reader, llamas) && scaling != "llama3")
    reader.remember(program, "scaling", "none");
  else if (is_among(reader, hunyuans) && scaling != "dynamic" && scaling != "ntk")
    reader.remember(program, "scaling", "none");
  else if (is_among(reader, llamas) || is_among(reader, hunyuans))
    return;
  else if (is_among(reader, fixed) && scaling != "yarn")
    refuse(reader, "its class wants a yarn");
  else if (scaling == "yarn" && is_among(reader, parts))
    refuse(reader, "a yarn spans the whole head, of which a part turns");
  else if (scaling == "yarn")
    read_yarn(reader, object);
  else if (scaling == "longrope" ? !is_among(reader, phis) && !is_among(reader, moes)
                                 : scaling != "linear" && scaling != "proportional")
    refuse(reader, fmt::format("its class of this type has no {}", scaling));
}

}  // namespace pe
