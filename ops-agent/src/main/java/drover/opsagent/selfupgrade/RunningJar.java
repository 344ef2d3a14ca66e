package drover.opsagent.selfupgrade;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import org.jspecify.annotations.Nullable;

/**
 * The jar that this process was started from, when it lies among an agent's versions.
 *
 * @param path without links: the link that named it may name another by now
 * @param directoryVersion which version its directory says
 */
public record RunningJar(Path path, AgentVersionNumber directoryVersion) {
    /** Where Java was told to find the program; one jar when it was started with {@code -jar}. */
    public static @Nullable RunningJar find() {
        return fromClassPath(System.getProperty("java.class.path", ""));
    }

    /** The jar of this class path; absent when it is not one jar in the directory of a version. */
    static @Nullable RunningJar fromClassPath(String classPath) {
        if (classPath.isEmpty() || classPath.contains(File.pathSeparator)) {
            return null;
        }
        try {
            Path jar = Path.of(classPath).toRealPath();
            Path home = jar.getParent();
            String name = home == null ? "" : String.valueOf(home.getFileName());
            boolean among =
                    jar.endsWith(AgentVersionsDirectory.JAR)
                            && name.startsWith("v")
                            && AgentVersionNumber.isValid(name);
            return among ? new RunningJar(jar, AgentVersionNumber.of(name)) : null;
        } catch (IOException e) {
            return null; // it is not there any more
        }
    }

    /** The directory of all versions. */
    public Path versionsDirectory() {
        Path home = path.getParent();
        Path all = home == null ? null : home.getParent();
        if (all == null) {
            throw new IllegalStateException(path + " lies in no directory of a version");
        }
        return all;
    }

    /** The version that its manifest says. */
    public String version() {
        return versionOf(path);
    }

    /**
     * The version that a jar's manifest says; {@value AgentPackaging#UNKNOWN} when it says none.
     */
    static String versionOf(Path jar) {
        try (JarFile file = new JarFile(jar.toFile())) {
            String message =
                    file.getManifest() == null
                            ? null
                            : file.getManifest()
                                    .getMainAttributes()
                                    .getValue(Attributes.Name.IMPLEMENTATION_VERSION);
            return message == null || message.isBlank() ? AgentPackaging.UNKNOWN : message.strip();
        } catch (IOException e) {
            return AgentPackaging.UNKNOWN;
        }
    }
}
