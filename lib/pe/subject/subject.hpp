// Subject: what somebody says of an encoding, as texts, becomes an effect at positions.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "pe/configs/reading.hpp"
#include "pe/dialects/dialect.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/model/provenance.hpp"

namespace pe {

/// Reads a tensor from "FILE[:NAME]".
using LoadTensor = std::function<Array(const std::string& spec)>;

/// What is said, by hand or by files, before any checking. An empty text says nothing.
struct SubjectTexts {
  const Encoding* encoding = nullptr;  // null: the one that the config means
  Given flags = {};                    // by hand: they beat everything else
  Given implied = {};  // by other input, a tensor's shape: where neither flag nor config does
  std::string config = {}, model = {}, layer_type = {};  // a config's path, or a model's name
  std::string part = {};                                 // of the model: text, vision, encoder
  std::string length = {}, positions = {};               // one of them
  std::optional<std::string> dtype = {}, dialect = {};   // none: f32, exact
  bool among_tokens = false;  // positions count the tokens that have none, too
};

/// The same, checked and completed.
struct Subject {
  const Encoding* encoding = nullptr;
  Parameters parameters;
  Effect effect;
  Span span;                                 // positions, and offsets where the effect is relative
  Index length = 0;                          // of the sequence that the effect was made for
  std::string positions_origin = "default";  // "flag --length", "flag --positions"
  DType dtype = DType::f32;
  const Dialect* dialect = nullptr;
  bool dialect_given = false, among_tokens = false;
  Reading reading = {};  // what a config or a model of the catalogue said, its warnings included
  Given flags = {}, given = {};  // by hand; by config and other input, as no dialect reads it
  LoadTensor load = {};

  bool positions_given() const { return positions_origin != "default"; }
};

/// What --config or --model says; nothing (no encoding) when none is named. Throws UsageError where
/// both are, and where a layer type has no meaning.
Reading reading_of(const SubjectTexts& texts);

/// Flag beats dialect's reading beats config beats other input beats default. `usual_length` stands
/// in for missing positions; without them a grid has all of its cells, and a short table all of its
/// rows. Throws UsageError and MathError where the encoding refuses what is said.
Subject make_subject(const SubjectTexts& texts, const Reading& reading, Index usual_length,
                     const LoadTensor& load);

/// The same, with the reading that the texts themselves name, and tensors of files.
Subject make_subject(const SubjectTexts& texts, Index usual_length);

/// The subject with parameters told otherwise by hand; an empty text takes one away. Tensors are
/// not read a second time. Throws UsageError and MathError where the encoding refuses these.
Subject changed(const Subject& subject, const Given& changes);

/// The same; nothing where the encoding refuses these parameters.
std::optional<Subject> with_changes(const Subject& subject, const Given& changes);

/// The subject as another dialect reads its config.
Subject with_dialect(const Subject& subject, const Dialect& dialect);

/// Where its fields come from, for the tool and the command line that made them.
Provenance provenance_of(const Subject& subject, const std::string& tool,
                         const std::string& command);

}  // namespace pe
