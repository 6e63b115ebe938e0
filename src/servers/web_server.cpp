#include "servers/web_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "servers/head.h"

namespace mobula::servers {
namespace {

/// By the end of the name. What is none of these is bytes, which a browser saves and does not run.
std::string_view type_of(std::string_view path) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 11> types{{
      {".html", "text/html; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".mjs", "text/javascript; charset=utf-8"},
      {".json", "application/json"},
      {".txt", "text/plain; charset=utf-8"},
      {".wasm", "application/wasm"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".ico", "image/x-icon"},
      {".woff2", "font/woff2"},
  }};
  for (const auto& [end, type] : types)
    if (path.ends_with(end)) return type;
  return "application/octet-stream";
}

/// What a page may do. One that says so itself may do that and no more; any other file may do nothing.
std::string policy_of(std::string_view path, std::string_view content) {
  constexpr std::string_view own = "<meta http-equiv=\"Content-Security-Policy\" content=\"";
  std::string_view said = "default-src 'none'; base-uri 'none'; form-action 'none'";
  const std::size_t at = path.ends_with(".html") ? content.find(own) : std::string_view::npos;
  if (at != std::string_view::npos) {
    const std::string_view rest = content.substr(at + own.size());
    const std::string_view found = rest.substr(0, rest.find('"'));
    const bool is_plain = std::ranges::all_of(found, [](char letter) { return letter >= ' ' && letter <= '~'; });
    if (is_plain) said = found;
  }
  return std::string(said) + "; frame-ancestors 'none'";
}

std::string response(std::string_view status, std::string_view fields, std::string_view content, bool with_content) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Length: {}\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
      "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n"
      "Cache-Control: no-cache\r\nConnection: close\r\n{}\r\n{}",
      status, content.size(), fields, with_content ? content : std::string_view());
}
std::string refusal(std::string_view status, bool with_content, std::string_view why, std::string_view more = {}) {
  return response(status,
                  fmt::format("Content-Type: text/plain; charset=utf-8\r\n"
                              "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n{}",
                              more),
                  fmt::format("{}\n", why), with_content);
}

struct Request {
  std::string_view method, target, host;
  std::size_t hosts = 0;
  bool has_content = false;
};

bool is_field_name(std::string_view name) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::ranges::all_of(name, [&](char letter) {
    const char small = lower(letter);
    return (small >= 'a' && small <= 'z') || (letter >= '0' && letter <= '9') ||
           marks.find(letter) != std::string_view::npos;
  });
}

/// Nothing: this is no head of HTTP/1.0 or 1.1.
std::optional<Request> read_head(std::string_view head) {
  if (std::ranges::any_of(head, [](char letter) {
        const auto byte = static_cast<unsigned char>(letter);
        return (byte < ' ' && letter != '\r' && letter != '\n' && letter != '\t') || byte == 0x7F;
      }))
    return std::nullopt;
  std::vector<std::string_view> lines;
  while (!head.empty()) {
    lines.push_back(head.substr(0, head.find(line_end)));
    if (lines.back().find_first_of("\r\n") != std::string_view::npos) return std::nullopt;
    head.remove_prefix(std::min(head.size(), lines.back().size() + line_end.size()));
  }
  if (lines.empty()) return std::nullopt;
  const std::string_view first = lines.front();
  const std::size_t one = first.find(' '), two = first.rfind(' ');
  if (one == std::string_view::npos || one == two) return std::nullopt;
  Request request{.method = first.substr(0, one), .target = first.substr(one + 1, two - one - 1), .host = {}};
  const std::string_view version = first.substr(two + 1);
  if (!is_field_name(request.method) || (version != "HTTP/1.1" && version != "HTTP/1.0") ||
      request.target.find(' ') != std::string_view::npos)
    return std::nullopt;
  for (const std::string_view line : std::span(lines).subspan(1)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_field_name(line.substr(0, colon))) return std::nullopt;
    const std::string_view name = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
    if (same_name(name, "Host")) {
      request.host = value;
      ++request.hosts;
    }
    request.has_content |= same_name(name, "Transfer-Encoding") || (same_name(name, "Content-Length") && value != "0");
  }
  return request;
}

}  // namespace

WebServer::WebServer(std::map<std::string, std::string, std::less<>> files, std::uint16_t port)
    : files_(std::move(files)), host_(fmt::format("127.0.0.1:{}", port)) {
  if (files_.contains("/index.html")) {
    start_ = "/index.html";
    return;
  }
  for (const auto& [path, content] : files_) {
    if (!path.ends_with(".html")) continue;
    if (!start_.empty()) {  // the second one
      start_.clear();
      return;
    }
    start_ = path;
  }
}

const std::string* WebServer::content_at(std::string_view path) const {
  const auto found = files_.find(path == "/" ? std::string_view(start_) : path);
  return found == files_.end() ? nullptr : &found->second;
}

std::optional<std::string> WebServer::answer(std::string_view received) const {
  const std::size_t end = received.substr(0, head_limit).find(head_end);
  if (end == std::string_view::npos) {
    if (received.size() < head_limit) return std::nullopt;
    return refusal("431 Request Header Fields Too Large", true,
                   fmt::format("the head of a request is longer than {} bytes", head_limit));
  }
  const auto request = read_head(received.substr(0, end));
  if (!request) return refusal("400 Bad Request", true, "this is not an HTTP/1.1 request");
  const bool is_head = request->method == "HEAD";
  if (request->hosts != 1 || request->host != host_)
    return refusal("421 Misdirected Request", !is_head, fmt::format("this is http://{}/, and nothing else", host_));
  if (request->method != "GET" && !is_head)
    return refusal("405 Method Not Allowed", true, "only GET and HEAD are answered", "Allow: GET, HEAD\r\n");
  if (request->has_content) return refusal("400 Bad Request", !is_head, "a request has no content here");
  const std::string_view path = request->target.substr(0, request->target.find('?'));
  const std::string* const content = content_at(path);
  if (content == nullptr) return refusal("404 Not Found", !is_head, "there is no such file");
  const std::string_view name = path == "/" ? std::string_view(start_) : path;
  return response(
      "200 OK",
      fmt::format("Content-Type: {}\r\nContent-Security-Policy: {}\r\n", type_of(name), policy_of(name, *content)),
      *content, !is_head);
}

}  // namespace mobula::servers
