#include "servers/web_server.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace mobula::servers {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string page =
    "<!doctype html><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
    "'sha256-x'\">";

WebServer server() {
  return {{{"/lab.html", page}, {"/data/a.json", "{}"}, {"/notes", "text"}, {"/a b", "blank"}}, 8000};
}
std::string request(const std::string& first, const std::string& more = "Host: 127.0.0.1:8000\r\n") {
  return first + "\r\n" + more + "\r\n";
}
std::string answer(const std::string& head) { return server().answer(head).value_or("nothing"); }
std::string content(const std::string& whole) { return whole.substr(whole.find("\r\n\r\n") + 4); }

TEST(WebServer, GivesFiles) {
  const std::string whole = answer(request("GET /data/a.json HTTP/1.1"));
  EXPECT_THAT(whole, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(whole, HasSubstr("Content-Type: application/json\r\n"));
  EXPECT_THAT(whole, HasSubstr("Content-Length: 2\r\n"));
  EXPECT_EQ(content(whole), "{}");
  EXPECT_EQ(content(answer(request("GET /lab.html?x=../../etc/passwd HTTP/1.1"))), page);
  EXPECT_EQ(content(answer(request("GET / HTTP/1.0"))), page) << "the only page there is";
  EXPECT_THAT(answer(request("GET /notes HTTP/1.1")), HasSubstr("Content-Type: application/octet-stream\r\n"));
}

TEST(WebServer, GivesHeadsAlone) {
  const std::string whole = answer(request("HEAD /data/a.json HTTP/1.1"));
  EXPECT_THAT(whole, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(whole, HasSubstr("Content-Length: 2\r\n"));
  EXPECT_EQ(content(whole), "");
  EXPECT_EQ(content(answer(request("HEAD /none HTTP/1.1"))), "");
}

TEST(WebServer, StartsWithIndexOrTheOnlyPage) {
  const auto start = [](std::map<std::string, std::string, std::less<>> files) {
    return content(*WebServer(std::move(files), 1).answer("GET / HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n"));
  };
  EXPECT_EQ(start({{"/a.html", "a"}, {"/index.html", "index"}}), "index");
  EXPECT_EQ(start({{"/a.html", "a"}, {"/b.txt", "b"}}), "a");
  EXPECT_EQ(start({{"/a.html", "a"}, {"/b.html", "b"}}), "there is no such file\n");
  EXPECT_EQ(start({{"/b.txt", "b"}}), "there is no such file\n");
}

TEST(WebServer, SendsThePolicyOfThePage) {
  EXPECT_THAT(answer(request("GET /lab.html HTTP/1.1")),
              HasSubstr("\r\nContent-Security-Policy: default-src 'none'; script-src 'sha256-x'; frame-ancestors "
                        "'none'\r\n"));
  EXPECT_THAT(answer(request("GET /notes HTTP/1.1")),
              HasSubstr("\r\nContent-Security-Policy: default-src 'none'; base-uri 'none'; form-action 'none'; "
                        "frame-ancestors 'none'\r\n"));
  const WebServer splitting({{"/x.html", "<meta http-equiv=\"Content-Security-Policy\" content=\"a\r\nEvil: 1\">"}}, 1);
  EXPECT_THAT(splitting.answer("GET /x.html HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n")->substr(0, 600),
              HasSubstr("Content-Security-Policy: default-src 'none'; base-uri"));
  for (const std::string& head : {request("GET /lab.html HTTP/1.1"), request("GET /none HTTP/1.1"), request("x")}) {
    EXPECT_THAT(answer(head), HasSubstr("\r\nX-Content-Type-Options: nosniff\r\n")) << head;
    EXPECT_THAT(answer(head), HasSubstr("\r\nContent-Security-Policy: ")) << head;
    EXPECT_THAT(answer(head), HasSubstr("\r\nConnection: close\r\n")) << head;
    EXPECT_THAT(answer(head), Not(HasSubstr("Access-Control"))) << head;
  }
}

TEST(WebServer, HasNothingThatItWasNotGiven) {
  for (const char* path : {"/../etc/passwd",
                           "/..",
                           "/../lab.html",
                           "/%2e%2e/etc/passwd",
                           "/data/../lab.html",
                           "/data/%2e%2e/lab.html",
                           "//lab.html",
                           "/./lab.html",
                           "/lab.html/",
                           "/data",
                           "/data/",
                           "/etc/passwd",
                           "/lab.html%00.txt",
                           "/LAB.HTML",
                           "/..%5clab.html",
                           "\\lab.html",
                           "lab.html",
                           "http://127.0.0.1:8000/lab.html",
                           "*",
                           "/lab%2ehtml",
                           "/a%20b"})
    EXPECT_THAT(answer(request("GET " + std::string(path) + " HTTP/1.1")), StartsWith("HTTP/1.1 404 ")) << path;
}

TEST(WebServer, AnswersUnderItsOwnNameAlone) {
  for (const char* host : {"evil.example", "127.0.0.1", "127.0.0.1:8001", "127.0.0.1:80000", "localhost:8000",
                           "[::1]:8000", "127.0.0.1:8000.evil.example", "evil@127.0.0.1:8000", "", "0.0.0.0:8000"})
    EXPECT_THAT(answer(request("GET /lab.html HTTP/1.1", "Host: " + std::string(host) + "\r\n")),
                StartsWith("HTTP/1.1 421 "))
        << host;
  EXPECT_THAT(answer(request("GET /lab.html HTTP/1.1", "")), StartsWith("HTTP/1.1 421 ")) << "none at all";
  EXPECT_THAT(answer(request("GET /lab.html HTTP/1.1", "Host: 127.0.0.1:8000\r\nHost: 127.0.0.1:8000\r\n")),
              StartsWith("HTTP/1.1 421 "))
      << "two of them";
  EXPECT_THAT(answer(request("GET /lab.html HTTP/1.1", "hOST:\t127.0.0.1:8000 \r\n")), StartsWith("HTTP/1.1 200 "));
}

TEST(WebServer, OnlyReads) {
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "get", "X"}) {
    const std::string whole = answer(request(std::string(method) + " /lab.html HTTP/1.1"));
    EXPECT_THAT(whole, StartsWith("HTTP/1.1 405 ")) << method;
    EXPECT_THAT(whole, HasSubstr("\r\nAllow: GET, HEAD\r\n")) << method;
  }
  const std::string host = "Host: 127.0.0.1:8000\r\n";
  for (const char* field : {"Content-Length: 4", "Transfer-Encoding: chunked", "content-length: x"})
    EXPECT_THAT(answer(request("GET /lab.html HTTP/1.1", host + field + "\r\n")), StartsWith("HTTP/1.1 400 ")) << field;
  EXPECT_THAT(answer(request("GET /lab.html HTTP/1.1", host + "Content-Length: 0\r\n")), StartsWith("HTTP/1.1 200 "));
}

TEST(WebServer, RefusesWhatIsNoRequest) {
  using std::string_literals::operator""s;
  for (const std::string& head :
       {"\r\n\r\n"s, "GET\r\n\r\n"s, "GET /lab.html\r\n\r\n"s, "GET /lab.html HTTP/2\r\n\r\n"s,
        "GET  /lab.html HTTP/1.1\r\n\r\n"s, "GET /a b HTTP/1.1\r\n\r\n"s, " GET / HTTP/1.1\r\n\r\n"s,
        "GET / HTTP/1.1\r\nHost 127.0.0.1:8000\r\n\r\n"s, "GET / HTTP/1.1\r\nHost : 127.0.0.1:8000\r\n\r\n"s,
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n folded\r\n\r\n"s, "GET / HTTP/1.1\nHost: 127.0.0.1:8000\r\n\r\n"s,
        "GET /\0 HTTP/1.1\r\n\r\n"s, "GET /\x1b[2J HTTP/1.1\r\n\r\n"s, "\x16\x03\x01\x02\r\n\r\n"s,
        "G(T / HTTP/1.1\r\n\r\n"s})
    EXPECT_THAT(answer(head), StartsWith("HTTP/1.1 400 ")) << head;
}

TEST(WebServer, WaitsForTheWholeHeadAndNoLonger) {
  const std::string whole = request("GET /lab.html HTTP/1.1");
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
    EXPECT_FALSE(server().answer(whole.substr(0, bytes))) << bytes;
  EXPECT_THAT(answer(whole), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(answer(whole + "GET /notes HTTP/1.1\r\n"), Not(HasSubstr("text\n"))) << "one request, one answer";
  EXPECT_FALSE(server().answer(std::string(WebServer::head_limit - 1, 'a')));
  EXPECT_THAT(answer(std::string(WebServer::head_limit, 'a')), StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(answer(std::string(WebServer::head_limit, 'a') + "\r\n\r\n"), StartsWith("HTTP/1.1 431 "));
}

TEST(WebServer, SaysNothingOfTheRequest) {
  EXPECT_THAT(answer(request("GET /<script>alert(1)</script> HTTP/1.1")), Not(HasSubstr("script>")));
  EXPECT_THAT(answer(request("GET / HTTP/1.1", "Host: <script>\r\n")), Not(HasSubstr("script>")));
}

}  // namespace
}  // namespace mobula::servers
