package drover.standalone;

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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checksums that the build verifies: of Maven itself, and of its dependencies. */
final class BuildChecksumsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    @TempDir Path folder;

    /** By the path below a Maven repository. */
    private static Map<String, String> recorded() throws IOException {
        try (Stream<String> lines = Files.lines(ROOT.resolve(".mvn/checksums/checksums.sha256"))) {
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

    @Test
    void everyLibraryOnTheClassPathHasItsChecksum() throws IOException {
        Map<String, String> recorded = recorded();
        List<String> without = new ArrayList<>();
        int found = 0;
        for (String entry :
                System.getProperty(
                                "surefire.test.class.path", System.getProperty("java.class.path"))
                        .split(":", -1)) {
            int repository = entry.indexOf("/repository/");
            if (!entry.endsWith(".jar") || repository < 0) {
                continue;
            }
            found++;
            String path = entry.substring(repository + "/repository/".length());
            if (!sha256(Path.of(entry)).equals(recorded.get(path))) {
                without.add(path);
            }
        }
        assertThat(found).isGreaterThan(50);
        assertThat(without)
                .as("record new versions with DROVER_CHECKSUMS=record ./mvnw verify")
                .isEmpty();
    }

    @Test
    void theWrapperUsesNoOtherMavenThanTheExpectedOne() throws Exception {
        Path bin = Files.createDirectory(folder.resolve("bin"));
        Path mvn =
                Files.writeString(
                        bin.resolve("mvn"),
                        """
                        #!/bin/sh
                        if [ "$1" = -v ]; then echo "Apache Maven 3.8.7"; exit 0; fi
                        echo replaced > apache-maven-3.9.16-bin.zip
                        """);
        Files.setPosixFilePermissions(mvn, PosixFilePermissions.fromString("rwxr-xr-x"));
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
}
