package drover.opsagent.systemd;

import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.FileAttributes;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A gate that the agent puts up itself: a drop-in of the unit that forbids the start for as long as
 * it is there itself. A directory that was made for it goes with it, unless something else is in
 * there; a crash just then may leave that empty.
 */
final class DropInGate implements StartGate {
    /** Stands in a gate whose directory was not there before. */
    private static final String MADE = "# Its directory was made for it and goes with it.";

    private final DurableFiles files;
    private final Path units;

    /** Gates of the units in a directory that outlives a reboot. */
    DropInGate(DurableFiles files, Path units) {
        this.files = files;
        this.units = units;
    }

    @Override
    public boolean isClosed(UnitName unit) {
        return files.disk().kind(gateFile(unit)) == Disk.EntryKind.FILE;
    }

    @Override
    public void close(UnitName unit) {
        Path gate = gateFile(unit);
        boolean closed = isClosed(unit);
        boolean made = closed ? ownsDirectory(gate) : !isDirectory(dropInDirectory(unit));
        try {
            files.createDirectories(dropInDirectory(unit));
            files.replace(gate, dropInText(gate, made), FileAttributes.CONFIG);
        } catch (DiskFailure e) {
            if (!closed) {
                deleteAfterFailure(gate, made, e);
            }
            throw e;
        }
    }

    /** A rename whose sync failed leaves a gate that the next reload would apply. */
    private void deleteAfterFailure(Path gate, boolean made, DiskFailure failure) {
        try {
            files.delete(gate);
            if (made) {
                files.deleteIfEmpty(Objects.requireNonNull(gate.getParent()));
            }
        } catch (DiskFailure e) {
            failure.addSuppressed(e);
        }
    }

    @Override
    public void requireClosable(UnitName unit) {
        Path gate = gateFile(unit);
        files.tryReplacement(gate, FileAttributes.CONFIG, dropInText(gate, true).length);
    }

    @Override
    public void deleteTemporaryFiles(UnitName unit) {
        files.deleteOwnTemporaryFiles(units);
        files.deleteOwnTemporaryFiles(dropInDirectory(unit));
    }

    private boolean isDirectory(Path directory) {
        return files.disk().kind(directory) == Disk.EntryKind.DIRECTORY;
    }

    private boolean ownsDirectory(Path gate) {
        return new String(files.disk().readAll(gate), StandardCharsets.UTF_8).contains(MADE);
    }

    @Override
    public void open(UnitName unit) {
        Path directory = dropInDirectory(unit);
        boolean made = isClosed(unit) && ownsDirectory(gateFile(unit));
        files.delete(gateFile(unit));
        files.deleteOwnTemporaryFiles(directory);
        if (made) {
            files.deleteIfEmpty(directory);
        }
    }

    @Override
    public String unsupportedReason(UnitName unit, UnitProperties view) {
        return "";
    }

    private Path dropInDirectory(UnitName unit) {
        return units.resolve(unit + ".d");
    }

    private Path gateFile(UnitName unit) {
        return dropInDirectory(unit).resolve(FILE);
    }

    private static byte[] dropInText(Path gate, boolean made) {
        return """
        # An upgrade has this unit stopped and its files half changed. The agent removes this file
        # before it starts the unit again. Where it stays, the node could not be brought back: see
        # the agent's log, repair the files, clear the node.
        %s
        [Unit]
        ConditionPathExists=!%s
        """
                .formatted(made ? MADE : "#", gate)
                .getBytes(StandardCharsets.UTF_8);
    }
}
