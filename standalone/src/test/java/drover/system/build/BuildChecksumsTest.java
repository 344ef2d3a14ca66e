package drover.system.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checksums that the build verifies: of Maven itself, and of its dependencies. */
final class BuildChecksumsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final String CHECKSUMS = ".mvn/checksums/checksums.sha256";

    /** A module of this project, in its build directory or in a local repository. */
    private static final Pattern MODULE =
            Pattern.compile("/target/[^/]+[.]jar$|/drover/[^/]+/[^/]+/[^/]+[.]jar$");

    @TempDir Path folder;

    /** By the path below a Maven repository. */
    private static Map<String, String> recorded() throws IOException {
        try (Stream<String> lines = Files.lines(ROOT.resolve(CHECKSUMS))) {
            return lines.map(line -> line.split(" +", 2))
                    .collect(Collectors.toMap(line -> line[1], line -> line[0]));
        }
    }

    private static String sha256(Path file) throws IOException {
        try {
            return HexFormat.of()
                    .formatHex(
                            MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Libraries of a class path without their recorded checksum. A local repository may have any
     * name, so the path of a library is matched from its end. The modules of this project are no
     * libraries.
     */
    private static List<String> unverified(String classPath, Map<String, String> recorded)
            throws IOException {
        List<String> unverified = new ArrayList<>();
        for (String entry : classPath.split(":", -1)) {
            if (!entry.endsWith(".jar") || MODULE.matcher(entry).find()) {
                continue;
            }
            Optional<String> path = suffixes(entry).filter(recorded::containsKey).findFirst();
            if (path.map(recorded::get).filter(sha256(Path.of(entry))::equals).isEmpty()) {
                unverified.add(entry);
            }
        }
        return unverified;
    }

    /** The path without its first directory, its first two, and so on. */
    private static Stream<String> suffixes(String path) {
        return IntStream.range(0, path.length())
                .filter(i -> path.charAt(i) == '/')
                .mapToObj(i -> path.substring(i + 1));
    }

    @Test
    void everyLibraryOnTheClassPathHasItsChecksum() throws IOException {
        String classPath =
                System.getProperty(
                        "surefire.test.class.path", System.getProperty("java.class.path"));
        assertThat(classPath.split("[.]jar(:|$)", -1)).hasSizeGreaterThan(50);
        assertThat(unverified(classPath, recorded()))
                .as("record new versions with DROVER_CHECKSUMS=record ./mvnw verify")
                .isEmpty();
    }

    @Test
    void findsTheLibrariesOfALocalRepositoryWithAnyName() throws IOException {
        Path good = library("cache/m2/org/example/good/1/good-1.jar", "good");
        Path changed = library("cache/m2/org/example/changed/1/changed-1.jar", "changed");
        Path added = library("cache/m2/org/example/added/1/added-1.jar", "added");
        Path module = library("cache/m2/drover/proto/0.1.0/proto-0.1.0.jar", "module");
        Path built = library("checkout/proto/target/proto-0.1.0.jar", "built");
        Map<String, String> recorded =
                Map.of(
                        "org/example/good/1/good-1.jar", sha256(good),
                        "org/example/changed/1/changed-1.jar", sha256(good));

        assertThat(
                        unverified(
                                Stream.of(good, changed, added, module, built)
                                        .map(Path::toString)
                                        .collect(Collectors.joining(":")),
                                recorded))
                .containsExactly(changed.toString(), added.toString());
    }

    private Path library(String path, String content) throws IOException {
        Path file = folder.resolve(path);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }

    @Test
    void theWrapperUsesNoOtherMavenThanTheExpectedOne() throws Exception {
        Path bin = Files.createDirectory(folder.resolve("bin"));
        executable(
                bin.resolve("mvn"),
                """
                #!/bin/sh
                if [ "$1" = -v ]; then echo "Apache Maven 3.8.7"; exit 0; fi
                echo replaced > apache-maven-3.9.16-bin.zip
                """);
        Path cache = folder.resolve("cache");
        ProcessBuilder wrapper = new ProcessBuilder("sh", ROOT.resolve("mvnw") + "", "--version");
        wrapper.environment().put("PATH", bin + ":" + System.getenv("PATH"));
        wrapper.environment().put("XDG_CACHE_HOME", cache.toString());
        wrapper.redirectErrorStream(true);
        Process process = wrapper.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isEqualTo(1);
        assertThat(output).contains("the checksum of Maven 3.9.16 is not the expected one");
        assertThat(cache.resolve("drover/maven").toFile().list()).isEmpty();
    }

    /** Runs the wrapper in record mode, with a Maven that writes this file of checksums. */
    private String recorded(String before, String after, int status) throws Exception {
        Path checkout = Files.createDirectories(folder.resolve("checkout"));
        Files.copy(ROOT.resolve("mvnw"), checkout.resolve("mvnw"));
        Path file = checkout.resolve(CHECKSUMS);
        Files.createDirectories(file.getParent());
        Files.copy(ROOT.resolve(".mvn/find-jdk.sh"), checkout.resolve(".mvn/find-jdk.sh"));
        Files.writeString(file, before);
        Path written = Files.writeString(folder.resolve("written"), after);
        Path bin = Files.createDirectory(folder.resolve("bin"));
        executable(
                bin.resolve("mvn"),
                """
                #!/bin/sh
                if [ "$1" = -v ]; then echo "Apache Maven 3.9.16"; exit 0; fi
                cp %s %s
                exit %d
                """
                        .formatted(written, file, status));
        ProcessBuilder wrapper = new ProcessBuilder("sh", checkout.resolve("mvnw") + "", "verify");
        wrapper.environment().put("PATH", bin + ":" + System.getenv("PATH"));
        wrapper.environment().put("XDG_CACHE_HOME", folder.resolve("cache").toString());
        wrapper.environment().put("DROVER_CHECKSUMS", "record");
        wrapper.redirectErrorStream(true);
        Process process = wrapper.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() + " " + output;
    }

    private static void executable(Path file, String script) throws IOException {
        Files.writeString(file, script);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void recordsNewArtifactsOfOthersSortedByPath() throws Exception {
        assertThat(
                        recorded(
                                "bb  a/a.jar\naa  b/b.jar\n",
                                """
                                dd  drover/proto/0.1.0/proto-0.1.0.jar
                                cc  c/c.jar
                                aa  b/b.jar
                                ee  a/b.jar
                                bb  a/a.jar
                                """,
                                0))
                .isEqualTo("0 ");
        assertThat(folder.resolve("checkout").resolve(CHECKSUMS))
                .hasContent("bb  a/a.jar\nee  a/b.jar\naa  b/b.jar\ncc  c/c.jar\n");
    }

    @Test
    void failsToRecordAnotherChecksumOfAKnownArtifact() throws Exception {
        String before = "bb  a/a.jar\naa  b/b.jar\n";
        assertThat(recorded(before, "aa  b/b.jar\nff  a/a.jar\ncc  c/c.jar\n", 0))
                .startsWith("1 bb  a/a.jar\nmvnw: these artifacts are not the recorded ones");
        assertThat(folder.resolve("checkout").resolve(CHECKSUMS)).hasContent(before);
    }

    @Test
    void aRecordRunFailsIfItsBuildFails() throws Exception {
        assertThat(recorded("bb  a/a.jar\n", "bb  a/a.jar\ncc  c/c.jar\n", 3)).isEqualTo("3 ");
    }
}
