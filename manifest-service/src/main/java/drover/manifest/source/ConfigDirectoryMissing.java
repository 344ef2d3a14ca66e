package drover.manifest.source;

import java.nio.file.Path;

/** The configuration directory is not there at start. */
public final class ConfigDirectoryMissing extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ConfigDirectoryMissing(Path directory, Throwable cause) {
        super(
                "The configuration directory '"
                        + directory
                        + "' is not there or cannot be read: create it, or name another with"
                        + " --config.",
                cause);
    }
}
