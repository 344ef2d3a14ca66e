package drover.standalone.demo;

import drover.localenv.AtomicFileWriter;
import drover.localenv.UserFacingError;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The demo's configuration as real files: a chain profile, two upgrade manifests, templates, and
 * the three releases they speak of. Written once; what an operator changes afterwards stays
 * changed.
 */
public final class DemoConfigFiles {
    /** The demo's chain. */
    public static final String CHAIN = "harbour";

    /** The type of its nodes. */
    public static final String NODE_TYPE = "edge";

    /** Its one program. */
    public static final String PROGRAM = "greeter";

    private static final List<DemoProgramVersion> RELEASES =
            List.of(DemoProgramVersion.V1, DemoProgramVersion.V2, DemoProgramVersion.V3);

    private static final List<String> FILES =
            List.of(
                    "chains/harbour.yaml",
                    "upgrades/harbour/greeter-v2.yaml",
                    "upgrades/harbour/greeter-v3.yaml",
                    "templates/harbour/greeter.conf.v1.tmpl",
                    "templates/harbour/greeter.conf.v2.tmpl",
                    "README.md"); // last: its presence says that all was written

    private DemoConfigFiles() {}

    /**
     * The configuration that was named, which must be there; else the demo's, at its usual place.
     *
     * @throws UserFacingError when there is none
     */
    public static Path resolveOrWriteConfig(Optional<Path> named, Path usual) {
        Path directory = named.orElse(usual).toAbsolutePath().normalize();
        if (named.isEmpty()) {
            writeUnlessWritten(directory);
        } else if (!Files.isDirectory(directory)) {
            throw new UserFacingError(
                    "The configuration directory "
                            + directory
                            + " is not there; name an existing one with --config.");
        }
        return directory;
    }

    /**
     * Writes the files unless they were written before; what an operator deleted since stays away.
     *
     * @throws UserFacingError when the directory cannot be written
     */
    public static void writeUnlessWritten(Path config) {
        if (Files.exists(config.resolve("README.md"))) {
            return;
        }
        try {
            Map<String, String> words = new LinkedHashMap<>();
            words.put("@JAVA@", javaExecutable().toString());
            for (DemoProgramVersion release : RELEASES) {
                Path artifact = config.resolve("artifacts").resolve(release.fileName());
                byte[] jar = readOrWriteArtifact(artifact, release);
                words.put("@URL_" + release.version() + "@", artifact.toUri().toString());
                words.put(
                        "@CHECKSUM_" + release.version() + "@",
                        DemoProgramVersion.digest(jar).value());
            }
            for (String name : FILES) {
                writeMissing(config.resolve(name), fillTemplate(name, words));
            }
        } catch (IOException e) {
            throw new UserFacingError(
                    "The demo's configuration cannot be written into "
                            + config
                            + "; check that the disk has room and that you may write there.",
                    e);
        }
    }

    /** The release in use: the file that is there, so that its manifest goes on being true. */
    private static byte[] readOrWriteArtifact(Path file, DemoProgramVersion release)
            throws IOException {
        if (!Files.exists(file)) {
            Files.createDirectories(parentOf(file));
            byte[] jar = release.buildJar();
            Path staged = file.resolveSibling(file.getFileName() + ".new");
            Files.write(staged, jar);
            Files.move(staged, file);
        }
        return Files.readAllBytes(file);
    }

    private static void writeMissing(Path file, String text) throws IOException {
        if (!Files.exists(file)) {
            Files.createDirectories(parentOf(file));
            AtomicFileWriter.write(file, text);
        }
    }

    private static String fillTemplate(String name, Map<String, String> words) throws IOException {
        try (InputStream in = DemoConfigFiles.class.getResourceAsStream("/demo/" + name)) {
            if (in == null) {
                throw new UserFacingError("This Drover lacks its demo; build it again.");
            }
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            for (Map.Entry<String, String> word : words.entrySet()) {
                text = text.replace(word.getKey(), word.getValue());
            }
            return text;
        }
    }

    /** The Java that runs Drover also runs the demo's programs: the machine's own may be older. */
    private static Path javaExecutable() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    private static Path parentOf(Path file) {
        Path parent = file.getParent();
        return parent == null ? file : parent;
    }
}
