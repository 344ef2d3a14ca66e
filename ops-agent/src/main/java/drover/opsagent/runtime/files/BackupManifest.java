package drover.opsagent.runtime.files;

import com.fasterxml.jackson.annotation.JsonProperty;
import drover.model.NodePath;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.store.ProgramProfile;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code manifest.json}: written last, it completes a backup.
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
     * @param lacking number of directories right above it that were missing; null in backups of
     *     agents that did not count them
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
