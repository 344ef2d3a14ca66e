package drover.bench.fleet;

import drover.model.Digest;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.ForwardingDisk;
import java.nio.file.Path;
import java.util.function.LongConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Another disk, which tells when the journal of an attempt gets its name: the moment from which an
 * agent is bound by the command.
 */
final class JournalNotifyingDisk extends ForwardingDisk {
    private static final Pattern JOURNAL = Pattern.compile(".*/attempts/([0-9]+)\\.json");

    private final Disk disk;
    private final LongConsumer journalled;

    /**
     * @param journalled told the attempt, each time that its journal is written
     */
    JournalNotifyingDisk(Disk disk, LongConsumer journalled) {
        super(disk);
        this.disk = disk;
        this.journalled = journalled;
    }

    @Override
    public void rename(Path from, Path to) {
        super.rename(from, to);
        Matcher journal = JOURNAL.matcher(to.toString());
        if (journal.matches()) {
            journalled.accept(Long.parseLong(journal.group(1)));
        }
    }

    /** The other disk knows it without reading. */
    @Override
    public Digest digest(Path file) {
        return disk.digest(file);
    }
}
