#include "machines/afuc/views/picture.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "mobula/isa/machine.h"
#include "paths.h"

namespace mobula::afuc {
namespace {

TEST(AfucPicture, ShowsWhichPacketsGoWhere) {
  std::ostringstream text;
  text << std::ifstream(test::source_file("examples/firmware.afuc")).rdbuf();
  const Result<Program> program = find_machine("afuc")->assemble({"firmware.afuc", text.str()}, {});
  ASSERT_TRUE(program) << render(program.error());
  const std::vector<Picture> all = pictures(*program);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].title, "SQE: 128 entries of the packet table, 10 packets with 9 handlers");
  EXPECT_THAT(all[0].boxes,
              testing::Contains(testing::Field(&Picture::Box::lines, testing::ElementsAre("0x10 CP_NOP"))));
  EXPECT_THAT(all[0].boxes.back().lines, testing::ElementsAre("the other 118 entries"));
}

}  // namespace
}  // namespace mobula::afuc
