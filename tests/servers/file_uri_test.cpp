#include "servers/file_uri.h"

#include <gtest/gtest.h>

namespace mobula::servers {
namespace {

TEST(ServersFileUri, IsOfAPathAndBack) {
  EXPECT_EQ(file_uri("/home/me/a shader%1#?.mdg"), "file:///home/me/a%20shader%251%23%3F.mdg");
  for (const char* path : {"/", "/a/b.mdg", "/a b/\xC3\xA9.frag", "/%41", "/~x/-._"})
    EXPECT_EQ(path_of_uri(file_uri(path)), path);
}

TEST(ServersFileUri, MayBeWrittenInOtherWays) {
  EXPECT_EQ(path_of_uri("file://localhost/a%2fb%2Fc"), "/a/b/c");
  EXPECT_EQ(path_of_uri("file:///a+b&c"), "/a+b&c");
  for (const char* other :
       {"", "/a", "file:/a", "http:///a", "file://elsewhere/a", "file:///a%2", "file:///a%xy", "file:///a%-1"})
    EXPECT_FALSE(path_of_uri(other)) << other;
}

}  // namespace
}  // namespace mobula::servers
