package drover.opsagent.runtime.files;

import com.fasterxml.jackson.annotation.JsonProperty;
import drover.model.NodePath;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.store.ProgramProfile;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code manifest.json}: written last, it says that a backup is complete.
 *
 * @param previous the program as it was launched
 */
record BackupManifest(ProgramProfile previous, List<SavedFile> files) {
    BackupManifest {
        files = List.copyOf(files);
    }

    /**
     * A file as it was.
     *
     * @param digest of its content; empty when it was absent
     * @param storedAs name of the copy in the backup; empty when it was absent
     * @param lacking how many directories right above it were absent; none are told by agents that
     *     left on the way back what they had made
     */
    record SavedFile(
            NodePath path,
            String digest,
            @JsonProperty("mode") FileAttributes attributes,
            String storedAs,
            @Nullable Integer lacking) {
        /** How many directories right above it the attempt has to make. */
        int missingDirectoryCount() {
            return lacking == null ? 0 : lacking;
        }
    }
}
