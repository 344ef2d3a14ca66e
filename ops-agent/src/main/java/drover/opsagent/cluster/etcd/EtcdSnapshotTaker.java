package drover.opsagent.cluster.etcd;

import drover.model.cluster.PrintableLine;
import drover.opsagent.cluster.DriverContractLimits;
import drover.opsagent.cluster.VerbResult;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.store.StateDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Snapshots of one member. A file gets its name when it is complete and durable; its name has the
 * start of its digest, so that no other snapshot replaces it.
 */
final class EtcdSnapshotTaker {
    /** Data that clients may write between the status and the snapshot. */
    private static final long GROWTH_BYTES = 64L << 20;

    private static final String PART = ".part";

    private final EtcdGateway gateway;
    private final EtcdStateReader reader;
    private final URI endpoint;
    private final DurableFiles files;
    private final AtomicBoolean inFlight = new AtomicBoolean();

    EtcdSnapshotTaker(EtcdGateway gateway, URI endpoint, DurableFiles files) {
        this.gateway = gateway;
        this.reader = new EtcdStateReader(gateway, endpoint);
        this.endpoint = endpoint;
        this.files = files;
    }

    /** Writes a snapshot into the directory, within the timeout of the contract. */
    VerbResult take(Path directory) {
        if (files.disk().kind(directory) != Disk.EntryKind.DIRECTORY) {
            return VerbResult.never(directory + " is no directory: create it.");
        }
        if (!inFlight.compareAndSet(false, true)) {
            return VerbResult.notNow("Another snapshot of the member is being written.");
        }
        FutureTask<VerbResult> writing = new FutureTask<>(() -> writeAlone(directory));
        Thread.ofVirtual().start(writing);
        try {
            return writing.get(
                    DriverContractLimits.SNAPSHOT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            return VerbResult.notNow(describe(e.getCause()));
        } catch (TimeoutException _) {
            return VerbResult.notNow(
                    "The snapshot was not complete after "
                            + DriverContractLimits.SNAPSHOT_TIMEOUT.toMinutes()
                            + " min.");
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return VerbResult.notNow(EtcdClusterDriver.CLOSING);
        } finally {
            writing.cancel(true);
        }
    }

    /** A writer that does not end at its timeout excludes the next one until it ends. */
    private VerbResult writeAlone(Path directory) throws IOException, InterruptedException {
        try {
            return writeIfPossible(directory);
        } finally {
            inFlight.set(false);
        }
    }

    private VerbResult writeIfPossible(Path directory) throws IOException, InterruptedException {
        EtcdClusterState state = reader.read();
        deleteParts(directory, partPrefix(state.own()));
        Optional<String> obstacle =
                EtcdReports.findSnapshotObstacle(state)
                        .or(() -> findLackOfSpace(directory, state.own().dbSize()));
        return obstacle.isPresent()
                ? VerbResult.notNow(obstacle.get())
                : write(directory, state.own());
    }

    private static String partPrefix(EtcdStatus own) {
        return "." + nameOf(own) + ".";
    }

    private static String nameOf(EtcdStatus own) {
        return "etcd-" + EtcdMember.hex(own.clusterId()) + "-" + EtcdMember.hex(own.memberId());
    }

    /** Deletes what killed calls for the same member left. */
    private void deleteParts(Path directory, String prefix) {
        for (Path each : files.disk().list(directory)) {
            String name = String.valueOf(each.getFileName());
            if (name.startsWith(prefix) && name.endsWith(PART)) {
                files.disk().delete(each);
            }
        }
    }

    private Optional<String> findLackOfSpace(Path directory, long dbSize) {
        long free = files.disk().freeBytes(directory);
        long needed = GROWTH_BYTES + StateDirectory.UPGRADE_MARGIN_BYTES;
        return dbSize <= free - needed
                ? Optional.empty()
                : Optional.of(
                        "The file system of "
                                + directory
                                + " has "
                                + (free >> 20)
                                + " MiB free, and a snapshot of "
                                + (dbSize >> 20)
                                + " MiB needs "
                                + (needed >> 20)
                                + " MiB more than its size: delete files on it or pass another"
                                + " directory.");
    }

    private VerbResult write(Path directory, EtcdStatus own)
            throws IOException, InterruptedException {
        Path part = directory.resolve(partPrefix(own) + files.randomName() + PART);
        InputStream stream =
                gateway.postAndStream(
                        endpoint,
                        "/v3/maintenance/snapshot",
                        EtcdGateway.JSON.createObjectNode(),
                        DriverContractLimits.STEP_DOWN_TIMEOUT);
        Disk disk = files.disk();
        try (stream) {
            EtcdSnapshotWriter.Snapshot written;
            try (Disk.DiskFileWriter file = disk.createExclusive(part)) {
                written = EtcdSnapshotWriter.write(stream, file, own.dbSize() + GROWTH_BYTES);
                file.sync();
            }
            Path target =
                    directory.resolve(
                            nameOf(own)
                                    + "-"
                                    + own.appliedIndex()
                                    + "-"
                                    + written.digest().shortHex()
                                    + ".db");
            disk.rename(part, target);
            disk.syncDirectory(directory);
            return VerbResult.done(
                    "Snapshot " + target + ", " + written.size() + " bytes, " + written.digest());
        } finally {
            disk.delete(part);
        }
    }

    private static String describe(@Nullable Throwable why) {
        return switch (why) {
            case EtcdRequestFailed failed -> failed.sentence();
            case DiskFailure failed -> PrintableLine.of(failed.getMessage() + ".");
            case null, default ->
                    PrintableLine.of(
                            "The snapshot cannot be written: "
                                    + (why == null ? "" : why.getMessage())
                                    + "; retry it.");
        };
    }
}
