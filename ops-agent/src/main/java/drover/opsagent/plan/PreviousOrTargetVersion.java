package drover.opsagent.plan;

import java.util.List;

/**
 * Which version of a program is on the disk after an attempt that could not be undone. A content
 * that neither version has was written by an operator or by the program; it fits both versions.
 */
public sealed interface PreviousOrTargetVersion {
    /**
     * The version before the attempt.
     *
     * @param otherFile the first file with a content that neither version has; empty if all are as
     *     before
     */
    record Previous(String otherFile) implements PreviousOrTargetVersion {}

    /** The version that the attempt installs. */
    record Target() implements PreviousOrTargetVersion {}

    /** No file differs between the versions, or none has a content of either. */
    record Undetermined() implements PreviousOrTargetVersion {}

    /** Parts of both, which must never run together (D3). */
    record Mixed(String previousFile, String targetFile) implements PreviousOrTargetVersion {}

    /**
     * The contents of a file; each is a digest, empty if there is no file.
     *
     * @param file its path, for people
     * @param programWritten whether the program may change it: then it may have its earlier content
     *     after the upgrade, too
     */
    record FileVersionDigests(
            String file, String previous, String target, String present, boolean programWritten) {
        private boolean isPreviousOnly() {
            return present.equals(previous) && !present.equals(target) && !programWritten;
        }

        private boolean isTargetOnly() {
            return present.equals(target) && !present.equals(previous);
        }

        private boolean isOther() {
            return !present.equals(previous) && !present.equals(target);
        }
    }

    /** Decides by the contents of the program file and of all managed files. */
    static PreviousOrTargetVersion of(List<FileVersionDigests> files) {
        String previousFile = "";
        String targetFile = "";
        String otherFile = "";
        for (FileVersionDigests file : files) {
            if (file.isPreviousOnly() && previousFile.isEmpty()) {
                previousFile = file.file();
            } else if (file.isTargetOnly() && targetFile.isEmpty()) {
                targetFile = file.file();
            } else if (file.isOther() && otherFile.isEmpty()) {
                otherFile = file.file();
            }
        }
        if (previousFile.isEmpty()) {
            return targetFile.isEmpty() ? new Undetermined() : new Target();
        }
        return targetFile.isEmpty() ? new Previous(otherFile) : new Mixed(previousFile, targetFile);
    }
}
