# find_package(mobula CONFIG): mobula::isa reads, writes and checks machine code; mobula::lab also executes and times it.
include(CMakeFindDependencyMacro)
find_dependency(fmt)
find_dependency(PNG)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/mobulaTargets.cmake)
