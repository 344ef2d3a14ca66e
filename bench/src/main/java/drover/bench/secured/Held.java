package drover.bench.secured;

import drover.bench.agent.Jcmd;
import drover.bench.agent.Memory;
import drover.machine.home.Unusable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a process of Java holds, in bytes.
 *
 * @param live objects that are in use, after everything else was collected
 * @param resident all of its pages in memory then
 */
public record Held(long live, long resident) {
    private static final Pattern TOTAL =
            Pattern.compile("^Total +[0-9]+ +([0-9]+)$", Pattern.MULTILINE);
    private static final int KIB = 1024;

    /** Now; counting what is in use collects the rest. */
    static Held by(long pid) {
        String histogram = Jcmd.ask(pid, "GC.class_histogram");
        Matcher total = TOTAL.matcher(histogram);
        if (!total.find()) {
            throw new Unusable("Process " + pid + " did not tell its objects: " + histogram);
        }
        return new Held(Long.parseLong(total.group(1)), Memory.resident(pid) * KIB);
    }

    /** What each of so many streams added to what was held before. */
    public Held each(Held before, int streams) {
        return new Held((live - before.live) / streams, (resident - before.resident) / streams);
    }
}
