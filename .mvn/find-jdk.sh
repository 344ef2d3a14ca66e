# Sourced by `mvnw` and `drover`: prints the home of a JDK 25, or fails.
find_jdk() {
  for candidate in "${JAVA_HOME:-}" /usr/lib/jvm/* /opt/java/* /opt/jdk* \
      "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/* /Library/Java/JavaVirtualMachines/*/Contents/Home; do
    [ -n "$candidate" ] && [ -x "$candidate/bin/javac" ] || continue
    if [ -f "$candidate/release" ] && grep -q '^JAVA_VERSION="25' "$candidate/release"; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  return 1
}
