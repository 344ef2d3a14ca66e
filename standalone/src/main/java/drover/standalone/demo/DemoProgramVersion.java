package drover.standalone.demo;

import drover.localenv.UserFacingError;
import drover.model.Digest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;

/**
 * One release of the demo's program.
 *
 * @param version its version
 * @param fault what is added to its build properties; empty when it works
 */
record DemoProgramVersion(String version, String fault) {
    // v3 outlives the moment of its start and nothing more: a node must notice, not a shell.
    private static final String FALLS_OVER = "falls_over_after_ms=1500\n";

    static final DemoProgramVersion V1 = new DemoProgramVersion("v1", "");
    static final DemoProgramVersion V2 = new DemoProgramVersion("v2", "");
    static final DemoProgramVersion V3 = new DemoProgramVersion("v3", FALLS_OVER);

    /** One moment for every entry: equal releases are equal bytes. */
    private static final LocalDateTime BUILT = LocalDateTime.of(2026, 1, 1, 0, 0);

    /** The file's name among the artifacts. */
    String fileName() {
        return "greeter-" + version + ".jar";
    }

    /** The whole jar file. */
    byte[] buildJar() {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, DemoProgram.class.getName());
        String properties = "version=" + version + "\n" + fault;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JarOutputStream jar = new JarOutputStream(bytes)) {
            jar.putNextEntry(entry("META-INF/MANIFEST.MF"));
            manifest.write(jar);
            addEntry(jar, "version.properties", properties.getBytes(StandardCharsets.UTF_8));
            String path = DemoProgram.class.getName().replace('.', '/') + ".class";
            addEntry(jar, path, classFile("/" + path));
        } catch (IOException e) {
            throw new IllegalStateException("Memory does not fail to be written", e);
        }
        return bytes.toByteArray();
    }

    /** What the jar is proved by. */
    static Digest digest(byte[] jar) {
        return Digest.of(jar);
    }

    private static byte[] classFile(String path) throws IOException {
        try (InputStream in = DemoProgramVersion.class.getResourceAsStream(path)) {
            if (in == null) {
                throw new UserFacingError("This Drover lacks its demo; build it again.");
            }
            return in.readAllBytes();
        }
    }

    private static void addEntry(JarOutputStream jar, String name, byte[] content)
            throws IOException {
        jar.putNextEntry(entry(name));
        jar.write(content);
    }

    private static ZipEntry entry(String name) {
        JarEntry entry = new JarEntry(name);
        entry.setTimeLocal(BUILT);
        return entry;
    }
}
