// The text of single instructions, as they are in the listing of their image.
#pragma once

#include <string_view>
#include <vector>

#include "machines/afuc/image/image.h"
#include "machines/afuc/text/print.h"

namespace mobula::afuc {

class InstructionLines {
 public:
  InstructionLines(const Image& image, Dialect dialect) : first_(image.has_leading_zero() ? 1 : 0) {
    print(image, dialect, text_, &words_);
  }
  /// The instruction with its comment after a tab, without labels. `index` is a word of the image.
  [[nodiscard]] std::string_view line(std::uint32_t index) const {
    const Listing::Word& place = words_[index + first_];
    std::string_view text = text_.view().substr(place.text_begin, place.text_end - place.text_begin);
    if (text.ends_with('\n')) text.remove_suffix(1);
    if (const std::size_t label = text.rfind('\n'); label != std::string_view::npos) text.remove_prefix(label + 1);
    return text;
  }
  /// The same without the comment.
  [[nodiscard]] std::string_view instruction(std::uint32_t index) const {
    const std::string_view text = line(index);
    return text.substr(0, text.find('\t'));
  }

 private:
  std::size_t first_;
  TextBuffer text_;
  std::vector<Listing::Word> words_;
};

}  // namespace mobula::afuc
