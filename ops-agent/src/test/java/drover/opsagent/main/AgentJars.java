package drover.opsagent.main;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;

/**
 * Agents of several versions as single jars: each starts the classes under test, which come with
 * {@link SharedClassArchive}, and says a version of its own. Some are broken on purpose.
 */
public final class AgentJars {
    private AgentJars() {}

    /** An agent that is well; without a version when that is empty. */
    public static Path healthy(Path file, String version) {
        return jar(file, version, OpsAgentMain.class);
    }

    /** One whose self-test ends with 3. */
    public static Path failing(Path file, String version) {
        return jar(file, version, Failing.class);
    }

    /** One that passes its self-test and then ends as soon as it is started. */
    public static Path crashing(Path file, String version) {
        return jar(file, version, Crashing.class);
    }

    /** One that passes its self-test and then never dials. */
    public static Path withoutReports(Path file, String version) {
        return jar(file, version, Unresponsive.class);
    }

    /** One that stands still where it is told to, on {@link BlockingDisk}. */
    public static Path hanging(Path file, String version) {
        return jar(file, version, BlockingAgentMain.class);
    }

    /** One that takes three seconds for its self-test. */
    public static Path slow(Path file, String version) {
        return jar(file, version, Slow.class);
    }

    private static Path jar(Path file, String version, Class<?> main) {
        return jar(file, version, main, "");
    }

    /** One that finds its classes elsewhere: entries are addresses, with spaces between. */
    public static Path jar(Path file, String version, Class<?> main, String classPath) {
        Manifest manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.put(Attributes.Name.MAIN_CLASS, main.getName());
        if (!classPath.isEmpty()) {
            attributes.put(Attributes.Name.CLASS_PATH, classPath);
        }
        if (!version.isEmpty()) {
            attributes.put(Attributes.Name.IMPLEMENTATION_VERSION, version);
        }
        try {
            Files.createDirectories(Objects.requireNonNull(file.toAbsolutePath().getParent()));
            try (OutputStream out = Files.newOutputStream(file);
                    JarOutputStream jar = new JarOutputStream(out, manifest)) {
                jar.finish();
            }
        } catch (IOException e) {
            throw new IllegalStateException("Cannot write " + file, e);
        }
        return file;
    }

    /** Every file of a directory, as a jar without a manifest. */
    static void pack(Path directory, Path file) {
        try {
            Files.createDirectories(Objects.requireNonNull(file.toAbsolutePath().getParent()));
            try (OutputStream out = Files.newOutputStream(file);
                    JarOutputStream jar = new JarOutputStream(out);
                    Stream<Path> all = Files.walk(directory)) {
                for (Path one : all.filter(Files::isRegularFile).toList()) {
                    jar.putNextEntry(new JarEntry(directory.relativize(one).toString()));
                    jar.write(Files.readAllBytes(one));
                    jar.closeEntry();
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException("Cannot write " + file, e);
        }
    }

    private static boolean isTest(String[] arguments) {
        return List.of(arguments).contains("--self-test");
    }

    /** Never becomes an agent. */
    static final class Failing {
        public static void main(String[] arguments) {
            System.out.println("this build is broken");
            System.exit(3);
        }
    }

    /** Ends as soon as it is started. */
    public static final class Crashing {
        public static void main(String[] arguments) throws InterruptedException {
            if (isTest(arguments)) {
                OpsAgentMain.main(arguments);
            }
            System.exit(1);
        }
    }

    /** Never dials. */
    public static final class Unresponsive {
        public static void main(String[] arguments) throws InterruptedException {
            if (isTest(arguments)) {
                OpsAgentMain.main(arguments);
            }
            while (true) {
                LockSupport.park(); // until it is ended
            }
        }
    }

    /** Tests itself for a while. */
    static final class Slow {
        public static void main(String[] arguments) throws InterruptedException {
            if (isTest(arguments)) {
                LockSupport.parkNanos(3_000_000_000L);
            }
            OpsAgentMain.main(arguments);
        }
    }
}
