// The rows: whose layout, whose arithmetic, and how they read a config where they differ.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/error.hpp"
#include "pe/dialects/dialect.hpp"
#include "pe/model/naming.hpp"

namespace pe {
namespace {

float library_exponential(float x) { return std::exp(x); }

constexpr Dialect rows[] = {
    {.name = "exact",
     .summary = "the mathematics, every value rounded once",
     .source = "the papers' definitions",
     .claim = "Correctly rounded."},
    {.name = "hf",
     .also = "huggingface transformers pytorch torch",
     .summary =
         "transformers 5 on PyTorch with 16-lane vectors: cos and sin with both halves, or as the "
         "model's class keeps them",
     .source = "transformers modeling_rope_utils.py, models/*/modeling_*.py *RotaryEmbedding",
     .claim = "On the catalogue's models inv_freq bit for bit, cos and sin within 1 ulp of "
              "float32, 2 under an attention factor; of random bases 3 frequencies in 10 000 are "
              "off by 1 or 2 ulp (data/parity).",
     .keeping = Keeping::halves,
     .keeps_by_class = true,
     .usual_pairing = Pairing::halves,
     .steps = &torch_avx512,
     .lanes = 16},
    {.name = "hf-avx2",
     .summary = "the same with 8-lane vectors: other pairs have the last bit of SLEEF's power",
     .source = "as hf, on a processor without AVX-512",
     .claim = "On the catalogue's models inv_freq bit for bit, cos and sin within 1 ulp of "
              "float32, 2 under an attention factor; of random bases 3 frequencies in 10 000 are "
              "off by 1 or 2 ulp (data/parity).",
     .keeping = Keeping::halves,
     .keeps_by_class = true,
     .usual_pairing = Pairing::halves,
     .steps = &torch_avx2,
     .lanes = 8},
    {.name = "hf-v4",
     .also = "transformers-4 transformers-v4",
     .summary = "transformers 4.57, the last of its line: reads some keys of a config otherwise",
     .source = "transformers 4.57.6 modeling_rope_utils.py, and its classes",
     .claim = "On 1697 configurations of 76 model types inv_freq and factor as recorded in "
              "data/parity/older.txt; steps as hf's.",
     .readings = "config.reading=hf-v4",
     .keeping = Keeping::halves,
     .keeps_by_class = true,
     .usual_pairing = Pairing::halves,
     .steps = &torch_avx512,
     .lanes = 16},
    {.name = "meta",
     .also = "llama facebook",
     .summary = "Llama's own code: complex numbers, as pairs of cosine and sine",
     .source = "meta-llama llama3 model.py, precompute_freqs_cis",
     .claim = "As hf by reading the source: the same steps in float32.",
     .keeping = Keeping::turns,
     .array = "freqs_cis",
     .pairing = Pairing::adjacent,
     .steps = &torch_avx512},
    {.name = "ggml",
     .also = "llama.cpp llamacpp gguf ollama",
     .summary = "ggml on a processor: the angle is multiplied on from pair to pair; a cache of "
                "cosine, sine for each token",
     .source = "ggml src/ggml-cpu/ops.cpp, ggml_rope_cache_init; llama.cpp src/llama-context.cpp",
     .claim =
         "Within 2 ulp of float32 of what ggml's own operation turns by on a processor where "
         "llama.cpp 0c1e570 asks it to, at positions up to 8191, and within a rounding of the "
         "angle under divisors (data/parity/gguf.txt); the C library's powf stands for theirs.",
     .readings = "yarn.truncate=true yarn.attention-factor=?!gguf dynamic.scaling=none?!gguf "
                 "adjacent-to-halves.pairing=adjacent config.reading=ggml",
     .keeping = Keeping::turns,
     .array = "cache",
     .steps = &ggml_cpu},
    {.name = "ggml-cuda",
     .summary = "ggml on CUDA, SYCL and Vulkan: position · powf(powf(base, −2/d), j)",
     .source = "ggml src/ggml-cuda/rope.cu",
     .claim = "By reading the source; device powf, cosf and sinf may differ by ulps.",
     .readings = "yarn.truncate=true yarn.attention-factor=?!gguf dynamic.scaling=none?!gguf "
                 "adjacent-to-halves.pairing=adjacent config.reading=ggml",
     .keeping = Keeping::turns,
     .array = "cache",
     .steps = &ggml_cuda},
    {.name = "ggml-metal",
     .summary = "ggml on Metal and OpenCL: position · pow(base, −2j/d)",
     .source = "ggml src/ggml-metal, kernels/rope.cl",
     .claim = "By reading the source; device pow, cos and sin may differ by ulps.",
     .readings = "yarn.truncate=true yarn.attention-factor=?!gguf dynamic.scaling=none?!gguf "
                 "adjacent-to-halves.pairing=adjacent config.reading=ggml",
     .keeping = Keeping::turns,
     .array = "cache",
     .steps = &ggml_metal},
    {.name = "vllm",
     .summary = "one cache of cosines, then sines; dynamic unscaled; linear divides positions",
     .source = "vllm model_executor/layers/rotary_embedding",
     .claim =
         "Within 1 ulp of float32 of what get_rope of vllm 0.33.0 caches, 2 under an attention "
         "factor, at positions up to 131071 on a processor with AVX-512 (data/parity/engines.txt); "
         "with AVX2 powers may differ in their last bit. Its cache has the model's dtype "
         "(--dtype).",
     .readings = "dynamic.growth=unscaled longrope.attention-factor= longrope.factor= "
                 "yarn.truncate=true?latent yarn.attention-factor=?latent "
                 "yarn.mscale-rule=each?latent yarn.attention-factor=?gpt_oss yarn.mscale=?gpt_oss "
                 "adjacent-to-halves.pairing=adjacent config.reading=vllm",
     .keeping = Keeping::cos_sin,
     .array = "cos_sin_cache",
     .usual_pairing = Pairing::halves,
     .stacks_longrope = true,
     .steps = &torch_divided_positions},
    {.name = "sglang",
     .summary = "as vllm, the cache kept in float32; dynamic frozen; attention_factor not read",
     .source = "sglang srt/layers/rotary_embedding",
     .claim = "Within 1 ulp of float32 of what get_rope of sglang 0.5.23 caches, 2 under an "
              "attention factor, at positions up to 131071 on a processor with AVX-512 "
              "(data/parity/engines.txt); with AVX2 powers may differ in their last bit.",
     .readings = "dynamic.growth=frozen yarn.attention-factor= longrope.attention-factor= "
                 "longrope.factor= yarn.truncate=true?latent yarn.mscale-rule=each?latent "
                 "adjacent-to-halves.pairing=adjacent config.reading=sglang",
     .keeping = Keeping::cos_sin,
     .array = "cos_sin_cache",
     .usual_pairing = Pairing::halves,
     .stacks_longrope = true,
     .steps = &torch_divided_positions},
    {.name = "trtllm",
     .also = "tensorrt tensorrt-llm",
     .summary = "cosine, sine of each pair; the power in double",
     .source = "TensorRT-LLM functional.py, RopeEmbeddingUtils",
     .claim =
         "Within 1 ulp of float32 of what RopeEmbeddingUtils of TensorRT-LLM 0071496 makes on "
         "NumPy 2.4, 2 under an attention factor, at positions up to 131071 "
         "(data/parity/engines.txt); where NumPy has AVX-512, its float32 power moves longrope's "
         "frequencies by an ulp in a sixth of the pairs.",
     .readings = "yarn.truncate=true yarn.attention-factor= yarn.mscale-rule=each "
                 "longrope.factor-list=long longrope.attention-factor= longrope.factor= "
                 "longrope.short-mscale= longrope.long-mscale= "
                 "adjacent-to-halves.pairing=adjacent config.reading=trtllm",
     .keeping = Keeping::turns,
     .also_keeps = Keeping::sin_cos,  // create_sinusoidal_positions
     .array = "rotary_cos_sin",
     .steps = &numpy_steps},
    {.name = "transformer-engine",
     .also = "te nvidia megatron",
     .summary = "angles, not their cosines; linear multiplies positions by 1/factor; Megatron, too",
     .source = "TransformerEngine pytorch/attention/rope.py; Megatron-LM "
               "core/models/common/embeddings/rotary_pos_embedding.py",
     .claim = "Bit for bit the angles of Transformer Engine d0067d0d and megatron-core 0.16.1 on a "
              "processor, at positions up to 131071 (data/parity/engines.txt).",
     .keeping = Keeping::angles_halves,
     .array = "freqs",
     .usual_pairing = Pairing::halves,
     .steps = &torch_multiplied_positions},
    {.name = "flash-attn",
     .also = "flash-attention",
     .summary = "cos and sin with a column for each pair; of xpos times the scale of queries, and "
                "cos_k and sin_k over it for keys",
     .source = "flash-attention flash_attn/layers/rotary.py",
     .claim =
         "Within 1 ulp of float32 of what flash-attention 0251105 caches, 2 under xPos' scales, at "
         "positions up to 40000 on a processor with AVX-512 (data/parity/engines.txt).",
     .readings = "xpos.center=middle-floor xpos.pairing=halves",
     .keeping = Keeping::pairs,
     .usual_pairing = Pairing::halves,
     .steps = &torch_avx512,
     .scales = &torch_scales},
    {.name = "flashinfer",
     .summary = "on the fly from the base's reciprocal; its cache is cosines, then sines",
     .source = "flashinfer include/flashinfer/pos_enc.cuh",
     .claim = "The formula by reading the source; its fast intrinsics err more, and more at far "
              "positions.",
     .keeping = Keeping::cos_sin,
     .array = "cos_sin_cache",
     .usual_pairing = Pairing::halves,
     .steps = &flashinfer},
    {.name = "mlx",
     .also = "apple",
     .summary = "exp2 of −j/n·log2 base (Metal), mlx-lm's periods under a scaling; longrope always "
                "long, attention_factor and truncate not read",
     .source = "mlx backend/metal/kernels/rope.metal; mlx-lm models/rope_utils.py",
     .claim = "The formula by reading the source; Metal's fast cos and sin err more.",
     .readings = "yarn.truncate=true yarn.attention-factor= yarn.mscale-rule=each "
                 "longrope.factor-list=long "
                 "longrope.attention-factor= longrope.factor= longrope.short-mscale= "
                 "longrope.long-mscale=?!phimoe config.reading=mlx",
     .keeping = Keeping::pairs,
     .keeps_periods = true,
     .usual_pairing = Pairing::halves,
     .steps = &mlx_metal},
    {.name = "mlx-cpu",
     .summary = "MLX without a device: its own exp, sine and cosine; scalings as mlx",
     .source = "mlx fast.cpp, backend/cpu/simd/math.h; mlx-lm models/rope_utils.py",
     .claim = "Bit for bit what mlx 0.32.4 and mlx-lm 0.32.2 give, cos and sin at positions up to "
              "131071: plain, linear, dynamic, llama3, yarn, longrope, proportional "
              "(data/parity/mlx.txt).",
     .readings = "yarn.truncate=true yarn.attention-factor= yarn.mscale-rule=each "
                 "longrope.factor-list=long "
                 "longrope.attention-factor= longrope.factor= longrope.short-mscale= "
                 "longrope.long-mscale=?!phimoe config.reading=mlx",
     .keeping = Keeping::pairs,
     .keeps_periods = true,
     .usual_pairing = Pairing::halves,
     .steps = &mlx_cpu},
    {.name = "onnxruntime",
     .also = "onnx ort",
     .summary = "cos_cache and sin_cache with a column for each pair",
     .source = "onnxruntime contrib_ops/cpu/bert/rotary_embedding.cc; onnxruntime-genai "
               "models/builders/base.py",
     .claim = "Within the float32 roundings of the frequencies of what the model builder of "
              "onnxruntime-genai 0.18.0 caches, at positions up to 8191 "
              "(data/parity/onnx_configs.txt); longrope's are the long factors' caches.",
     .readings = "yarn.truncate=false yarn.attention-factor= longrope.factor-list=long "
                 "longrope.attention-factor= longrope.factor= config.reading=onnxruntime",
     .keeping = Keeping::pairs,
     .array = "cos_cache sin_cache",
     .usual_pairing = Pairing::halves,
     .steps = &torch_avx512},
    {.name = "torchtune",
     .summary = "a cache of cosine, sine for each pair",
     .source = "torchtune modules/position_embeddings.py",
     .claim = "Within 1 ulp of float32 of torchtune 0.6.1, at positions up to 40000 "
              "(data/parity/engines.txt).",
     .keeping = Keeping::turns,
     .array = "cache",
     .pairing = Pairing::adjacent,
     .steps = &torch_avx512},
    {.name = "torchtune-halves",
     .also = "torchtune-phi3 torchtune-qwen2 torchtune-qwen3",
     .summary = "torchtune's Phi-3 and Qwen modules: cosines, then sines, each with both halves",
     .source =
         "torchtune models/phi3/_position_embeddings.py, models/qwen2/_positional_embeddings.py",
     .claim = "Within 1 ulp of float32 of torchtune 0.6.1, at positions up to 40000 "
              "(data/parity/engines.txt).",
     .keeping = Keeping::cos_sin_halves,
     .array = "cache",
     .pairing = Pairing::halves,
     .steps = &torch_avx512},
    {.name = "keras-hub",
     .also = "keras kerashub keras-nlp",
     .summary = "Keras on PyTorch: base^(−2j/d) at once, cos and sin with both halves",
     .source = "keras-hub src/layers/modeling/rotary_embedding.py",
     .claim =
         "Within 1 ulp of float32 of what RotaryEmbedding of keras-hub 0.32.0 turns by, 4 "
         "under yarn, at positions up to 131071 (data/parity/engines.txt); other backends have "
         "another power.",
     .readings = "yarn.attention-factor=",
     .keeping = Keeping::halves,
     .pairing = Pairing::halves,
     .steps = &keras_torch},
    {.name = "x-transformers",
     .also = "lucidrains",
     .summary = "angles with each pair's column twice; linear divides angles",
     .source = "x-transformers x_transformers/x_transformers.py, RotaryEmbedding",
     .claim = "Bit for bit the angles of x-transformers 2.31.10, at positions up to 131071 "
              "(data/parity/engines.txt).",
     .keeping = Keeping::angles_adjacent,
     .array = "freqs",
     .pairing = Pairing::adjacent,
     .steps = &torch_divided_angles},
    {.name = "diffusers",
     .also = "flux cogvideox",
     .summary = "cos and sin with each pair's column twice",
     .source = "diffusers models/embeddings.py, get_1d_rotary_pos_embed",
     .claim = "Within 1 ulp of float32 of diffusers 0.42.1 in its default float32, at positions up "
              "to 131071 (data/parity/engines.txt); Flux and others ask for float64, whose values "
              "are those of `exact`.",
     .keeping = Keeping::adjacent,
     .pairing = Pairing::adjacent,
     .steps = &torch_avx512},
    {.name = "gpt-j",
     .summary = "sines, then cosines",
     .source = "transformers models/gptj/modeling_gptj.py, create_sinusoidal_positions",
     .claim = "Values within 1 ulp of float32 for GPT-J (data/parity).",
     .keeping = Keeping::sin_cos,
     .array = "embed_positions",
     .pairing = Pairing::adjacent,
     .steps = &torch_avx512},
    {.name = "tensor2tensor",
     .also = "t2t",
     .summary = "sinusoids: sines, then cosines; timescales that reach both ends; float32 steps",
     .source = "tensor2tensor layers/common_attention.py, get_timing_signal_1d",
     .claim =
         "Frequencies within 1 ulp of float32 of what tensor2tensor bafdc1b makes on TensorFlow "
         "2.21, values within what that does to an angle and 2 roundings, at positions up to "
         "8191 (data/parity/engines.txt); the C library's expf stands for TensorFlow's.",
     .readings =
         "sinusoidal.layout=halves sinusoidal.ladder=endpoint-times-min sinusoidal.odd=zero-column "
         "sincos-2d.convention=tensor2tensor",
     .exponential = &library_exponential},
    {.name = "fairseq",
     .summary = "the same table, read two rows on (padding index 1)",
     .source = "fairseq modules/sinusoidal_positional_embedding.py",
     .claim = "Frequencies within 1 ulp of float32 of what fairseq 3d262bb makes on PyTorch 2.13, "
              "values within what that does to an angle and 2 roundings, at positions up to 8191 "
              "(data/parity/engines.txt); the C library's expf stands for PyTorch's.",
     .readings = "sinusoidal.layout=halves sinusoidal.ladder=endpoint sinusoidal.odd=zero-column "
                 "sinusoidal.offset=2",
     .exponential = &library_exponential},
    {.name = "mae",
     .summary = "2-D sinusoids in double, the column's block first",
     .source = "facebookresearch/mae util/pos_embed.py",
     .claim =
         "Bit for bit the float32 values of facebookresearch/mae efb2a80 on grids up to 24 x 24 "
         "(data/parity/engines.txt): its double steps are rounded once.",
     .readings = "sincos-2d.convention=mae"},
};

}  // namespace

std::span<const Dialect> all_dialects() { return rows; }

const Dialect& find_dialect(std::string_view name) {
  std::vector<Named> names;
  for (const Dialect& dialect : rows) {
    if (dialect.name == name) return dialect;
    names.push_back({std::string(dialect.name), dialect.also});
  }
  throw UsageError(unknown("dialect", name, names, "pe-gen list dialects names those there are"));
}

const Dialect& as_kept(const Dialect& dialect, std::string_view layout) {
  if (!dialect.keeps_by_class || layout.empty()) return dialect;
  static const std::vector<Dialect> kept = [] {
    std::vector<Dialect> all;
    for (const Dialect& row : rows)
      for (const ArrayLayout& other : all_layouts())
        if (row.keeps_by_class) {
          all.push_back(row);
          all.back().keeping = other.keeping;
          if (other.arrays == 1) all.back().array = "freqs_cis";
        }
    return all;
  }();
  const auto found = std::ranges::find_if(kept, [&](const Dialect& row) {
    return row.name == dialect.name && row_of(row.keeping).name == layout;
  });
  return found == kept.end() ? dialect : *found;
}

}  // namespace pe
