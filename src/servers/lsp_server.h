// The language server: messages of the Language Server Protocol in, messages out. Knows no files and no sockets, and
// never waits.
//
// What messages ask for is answered in the order in which they came; what is wrong with the open texts is told when
// nothing is left to be answered, so that only the newest of several versions is looked at.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "servers/arguments.h"
#include "servers/json.h"
#include "servers/lsp_document.h"
#include "servers/positions.h"
#include "servers/serve.h"

namespace mobula::servers {

/// How a client leaves: without a word, with "exit" alone, or as it should, with "shutdown" before it.
enum class Leaving : std::uint8_t { silent, abrupt, good };

class LspServer final : public MessageServer {
 public:
  /// `leaving` becomes what the client says in the end.
  LspServer(std::string tool_version, Send send, Leaving& leaving)
      : tool_version_(std::move(tool_version)), send_(std::move(send)), leaving_(leaving) {}

  void receive(std::string_view content) override;
  bool work() override;
  [[nodiscard]] std::size_t waiting() const override { return waiting_.size(); }
  [[nodiscard]] bool is_over() const override { return over_; }

 private:
  /// A text that is looked at when something is asked of it: what an editor sends while somebody types is replaced
  /// before.
  struct Open {
    std::string uri;
    Language language;
    std::string text;
    std::int64_t version = 0;
    bool told = false;  ///< its findings
    std::unique_ptr<Document> document;
    std::unique_ptr<Positions> positions;

    void look(PositionEncoding encoding);
  };
  /// A place in an open text.
  struct Place {
    const Document& document;
    const Positions& positions;
    std::size_t offset = 0;
  };

  std::optional<Json> handle(const Json& message);
  Json answer(const std::string& method, const Arguments& params);
  void notice(const std::string& method, const Arguments& message);
  std::optional<Json> tell_findings();

  Json initialize(const Arguments& params);
  Json hover(const Arguments& params);
  Json definition(const Arguments& params);
  Json references(const Arguments& params);
  Json highlights(const Arguments& params);
  Json symbols(const Arguments& params);
  Json prepare_rename(const Arguments& params);
  Json rename(const Arguments& params);
  Json completion(const Arguments& params);
  Json inlay_hints(const Arguments& params);

  void open(const Arguments& params);
  void change(const Arguments& params);
  void apply(const Arguments& change, std::string& text) const;
  void close(const Arguments& params);
  void put(Open open);

  const Open& opened(const Arguments& params);
  Place place(const Arguments& params);
  static Json json_of(const Open& open, TextRange range);
  Json labels_at(const Arguments& params, bool with_definitions);

  std::string tool_version_;
  Send send_;
  Leaving& leaving_;
  std::deque<Result<Json>> waiting_;  ///< messages, or why they are none
  std::set<std::string> cancelled_;   ///< ids of waiting requests, as JSON
  std::map<std::string, Open> open_;
  std::set<std::string> closed_;  ///< whose findings are to be taken back
  PositionEncoding encoding_ = PositionEncoding::utf16;
  bool initialized_ = false, shut_down_ = false, over_ = false;
};

}  // namespace mobula::servers
