package drover.model.program;

/** What proves which version a program runs. */
public enum ProgramDigestSource {
    /** The running process's own executable. */
    EXE,
    /** The program file, for interpreted programs. */
    FILE
}
