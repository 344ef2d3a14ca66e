package drover.manifest.render;

/** How much may be rendered. */
public final class RenderLimits {
    /** One rendered file, in characters before and bytes after encoding. */
    public static final int LONGEST_FILE = 1024 * 1024;

    /** All files of one node in bytes: what travels beside one command (DESIGN § 5). */
    public static final int LARGEST_NODE = 512 * 1024;

    /** Nodes of one request: as many as a rollout may have (DESIGN § 4). */
    public static final int MOST_NODES = 10_000;

    /** Different contents of one request in bytes; they are all in memory at once. */
    public static final long LARGEST_ANSWER = 128L * 1024 * 1024;

    private RenderLimits() {}
}
