package drover.bench.mtls;

import drover.bench.agent.JcmdRunner;
import drover.bench.agent.JvmMemory;
import drover.localenv.UserFacingError;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a process of Java holds, in bytes.
 *
 * @param live objects that are in use, after everything else was collected
 * @param resident all of its pages in memory then
 */
public record ProcessMemory(long live, long resident) {
    private static final Pattern TOTAL =
            Pattern.compile("^Total +[0-9]+ +([0-9]+)$", Pattern.MULTILINE);
    private static final int KIB = 1024;

    /** Now; counting what is in use collects the rest. */
    static ProcessMemory measure(long pid) {
        String histogram = JcmdRunner.run(pid, "GC.class_histogram");
        Matcher total = TOTAL.matcher(histogram);
        if (!total.find()) {
            throw new UserFacingError("Process " + pid + " did not tell its objects: " + histogram);
        }
        return new ProcessMemory(Long.parseLong(total.group(1)), JvmMemory.residentKib(pid) * KIB);
    }

    /** What each of so many streams added to what was held before. */
    public ProcessMemory perStream(ProcessMemory before, int streams) {
        return new ProcessMemory(
                (live - before.live) / streams, (resident - before.resident) / streams);
    }
}
