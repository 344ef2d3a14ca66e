package drover.manifest.source;

/** The bounds on files (SECURITY, YAML; invariant H9). The same for files and for given text. */
public final class FileLimits {
    /** Bytes of a manifest, profile or template. */
    public static final int LARGEST_FILE = 256 * 1024;

    /** How deep values may be nested. */
    public static final int DEEPEST = 20;

    /** Keys and values in one document: 256 KiB of nothing but commas stay cheap. */
    public static final int MOST_VALUES = 10_000;

    /** Files of one kind that are looked at; more is a mistake in the directory. */
    public static final int MOST_FILES = 10_000;

    private FileLimits() {}
}
