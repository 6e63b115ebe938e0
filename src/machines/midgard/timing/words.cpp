#include "machines/midgard/timing/words.h"

#include <algorithm>

#include "core/hexadecimal.h"
#include "machines/midgard/machine.h"
#include "machines/midgard/spec/codec.h"
#include "machines/midgard/timing/flow.h"

namespace mobula::midgard {
namespace {

/// The parameters applied to a bundle.
class CostModel {
 public:
  CostModel(const Product& product, std::span<const TimingParameter> parameters)
      : product_(product), parameters_(parameters) {}

  [[nodiscard]] TimedWord word(const Bundle& bundle) const {
    TimedWord word{.address = std::uint64_t{bundle.position} * quadword_bytes};
    const auto pipe = pipe_index(tags[bundle.tag].pipe);
    if (bundle.form == Bundle::Form::raw || !pipe) return word;
    word.runs = true;
    word.pipe = *pipe;
    switch (bundle.form) {
      case Bundle::Form::alu:
        cost_alu(bundle, word);
        break;
      case Bundle::Form::load_store:
        cost_load_store(bundle, word);
        break;
      case Bundle::Form::texture:
        cost_texture(bundle, word);
        break;
      case Bundle::Form::raw:
        break;
    }
    word.latency = std::max(word.latency, word.issue);
    return word;
  }

 private:
  [[nodiscard]] std::uint64_t parameter(std::string_view name) const { return timing_parameter(parameters_, name); }

  void cost_alu(const Bundle& bundle, TimedWord& word) const {
    const auto instructions = bundle.alu_instructions();
    const bool lut =
        std::ranges::any_of(instructions, [](const AluInstruction& each) { return is_look_up(opcode_of(each)); });
    const bool wide =
        std::ranges::any_of(instructions, [](const AluInstruction& each) { return lane_bits(each) == 64; });
    word.issue = parameter("alu_issue_cycles") + (lut ? parameter("alu_lut_extra_cycles") : 0) +
                 (wide ? parameter("alu_64bit_extra_cycles") : 0) +
                 (bundle.quadword_count - 1u) * parameter("alu_quadword_extra_cycles");
    word.latency = parameter("alu_latency");
    for (const Branch& branch : branches(bundle))
      if (branch.op == BranchMeaning::write) word.tile_wait = parameter("writeout_wait");
  }

  void cost_load_store(const Bundle& bundle, TimedWord& word) const {
    const bool pair =
        get(get(bundle.word, ldst::first), ls::op) != ls_noop && get(get(bundle.word, ldst::second), ls::op) != ls_noop;
    word.issue = parameter("load_store_issue_cycles") + (pair ? parameter("load_store_pair_extra_cycles") : 0);
    word.latency = parameter("load_store_latency");
  }

  void cost_texture(const Bundle& bundle, TimedWord& word) const {
    constexpr std::uint64_t format_3d = 3;
    word.barrier = bundle.tag == tag_barrier;
    word.issue = parameter("texture_issue_cycles");
    if (get(bundle.word, tex::format_) == format_3d) word.issue *= parameter("texture_3d_factor");
    word.latency = parameter("texture_latency");
    if (product_.out_of_order && !word.barrier)
      word.overtakers = static_cast<std::uint32_t>(get(bundle.word, tex::out_of_order));
  }

  const Product& product_;
  std::span<const TimingParameter> parameters_;
};

}  // namespace

TimedWord timed_word(const Program& program, std::uint32_t position, std::span<const TimingParameter> parameters) {
  return CostModel(find_product(program.variant), parameters).word(decode_bundle(program.code, position));
}

std::vector<std::string> word_texts(const Program& program, std::span<const TimedWord> words) {
  std::unordered_map<std::uint64_t, std::string> texts;
  if (const auto listing = machine().disassemble(program, {.words = true}))
    for (const Listing::Word& word : listing->words)
      texts[word.byte_offset] =
          one_line(std::string_view(listing->text).substr(word.text_begin, word.text_end - word.text_begin));
  std::vector<std::string> result;
  for (const TimedWord& word : words) {
    const auto found = texts.find(word.address);
    result.push_back(found != texts.end() ? found->second : std::string(tags[program.code[word.address] & 15].name));
  }
  return result;
}

Result<Paths> Paths::from_run(const Program& program, const ThreadPaths& run) {
  Paths paths;
  paths.run_ = &run;
  paths.addresses_ = run.all_addresses();
  for (const std::uint64_t address : paths.addresses_)
    if (address % quadword_bytes != 0 || address / quadword_bytes >= program.code.size() / quadword_bytes)
      return fail("TM005", "a path leads to " + hexadecimal(address) + ", where the program has no word");
  return paths;
}

Result<Paths> Paths::assumed(const Program& program, AssumedPath which, std::vector<std::string>& notes) {
  const Flow flow = find_flow(program);
  const std::vector<std::uint8_t> weights(flow.nodes.size(), 1);
  const bool shortest = which == AssumedPath::shortest;
  const auto nodes = shortest ? lightest_path(flow, weights) : heaviest_path(flow, weights);
  if (!nodes) return fail(no_path(flow.nodes.empty(), shortest, flow.loops != 0));
  Paths paths;
  for (const std::uint32_t node : *nodes)
    paths.addresses_.push_back(std::uint64_t{flow.words[node].position} * quadword_bytes);
  const std::vector<std::uint64_t> in_order = paths.addresses_;
  std::ranges::sort(paths.addresses_);
  paths.shared_ = std::make_shared<Path>(paths.indices(in_order));
  notes.push_back(assumption(shortest, in_order.size()));
  return paths;
}

void Paths::cut_at_faults(std::span<const TimedWord> words) {
  for (const TimedWord& word : words) faults_.push_back(!word.runs);
  if (shared_) shared_ = std::make_shared<const Path>(cut(*shared_));
}

std::shared_ptr<const Path> Paths::of(std::uint32_t thread) {
  if (shared_) return shared_;
  const std::uint32_t id = run_->path_id(thread);
  return paths_of_run_.of(id, [&] { return indices(run_->addresses(id)); });
}

Path Paths::indices(const std::vector<std::uint64_t>& addresses) const {
  Path path;
  path.reserve(addresses.size());
  for (const std::uint64_t address : addresses)
    path.push_back(static_cast<std::uint32_t>(std::ranges::lower_bound(addresses_, address) - addresses_.begin()));
  return faults_.empty() ? path : cut(std::move(path));
}

Path Paths::cut(Path path) const {
  path.erase(std::ranges::find_if(path, [this](std::uint32_t word) { return faults_[word]; }), path.end());
  return path;
}

}  // namespace mobula::midgard
