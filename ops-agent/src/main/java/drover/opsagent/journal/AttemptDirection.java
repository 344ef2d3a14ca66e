package drover.opsagent.journal;

/** Which way an attempt goes. Once backward it never goes forward again. */
public enum AttemptDirection {
    /** Towards the target. */
    FORWARD,
    /** Back to what was there before. */
    BACKWARD
}
