package drover.opsagent.main;

import drover.opsagent.disk.Disk;
import drover.opsagent.disk.ForwardingDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;

/**
 * The machine's disk, on which the agent stands still for good at one moment of an attempt. A file
 * says which: {@code begun STOP_NODE}, when the journal says that an action begins and nothing was
 * done yet, or {@code done STOP_NODE}, when it had its effect and the journal does not know it. A
 * step back is named in the same way.
 */
public final class BlockingDisk extends ForwardingDisk {
    private final Path failpoint;
    private final Path reached;

    public BlockingDisk(Disk disk, Path exchange) {
        super(disk);
        this.failpoint = exchange.resolve("failpoint");
        this.reached = exchange.resolve("reached");
    }

    @Override
    public void rename(Path from, Path to) {
        boolean journal = to.toString().contains("/attempts/");
        String text = journal ? new String(readAll(from), StandardCharsets.UTF_8) : "";
        standStillAt("done", text);
        super.rename(from, to);
        standStillAt("begun", text);
    }

    private void standStillAt(String moment, String journal) {
        try {
            String requested = Files.exists(failpoint) ? Files.readString(failpoint) : "";
            String name = requested.substring(requested.indexOf(' ') + 1);
            if (requested.startsWith(moment) && entry(moment, name).matcher(journal).find()) {
                Files.writeString(reached, requested);
                new CountDownLatch(1).await(); // until it is killed
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** How a journal says so: of an action by its outcome, of a step back by its end. */
    private static Pattern entry(String moment, String name) {
        boolean started = moment.equals("begun");
        return Pattern.compile(
                "\"action\":\"%s\",\"outcome\":\"(%s)\""
                                .formatted(name, started ? "RUNNING" : "DONE|ALREADY_DONE")
                        + "|\"step\":\"%s\",\"startedAt\":[^,]*,\"endedAt\":%s"
                                .formatted(name, started ? "null" : "[^n]"));
    }
}
