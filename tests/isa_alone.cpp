// Links all of mobula-isa and nothing else: a reference to anything outside it fails the build.
int main() {}
