package drover.bench.agent;

import drover.localenv.UserFacingError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a process holds, in KiB.
 *
 * @param resident all of its pages in memory
 * @param anonymous those that are no file's
 * @param heap committed to objects
 * @param metaspace committed to classes
 * @param other committed to everything else that Java counts: code, threads, buffers, itself
 */
public record JvmMemory(long resident, long anonymous, long heap, long metaspace, long other) {
    /** Now; Java is asked by the JDK's own jcmd, which the archive does not have. */
    static JvmMemory measure(long pid) {
        String java = JcmdRunner.run(pid, "VM.native_memory", "summary");
        long heap = parseCommitted(java, "Java Heap");
        long metaspace = parseCommitted(java, "Metaspace") + parseCommitted(java, "Class");
        long total = parseCommitted(java, "Total: ");
        return new JvmMemory(
                readStatusField(pid, "VmRSS"),
                readStatusField(pid, "RssAnon"),
                heap,
                metaspace,
                total - heap - metaspace);
    }

    /** Resident pages alone, in KiB, which costs the process nothing. */
    public static long residentKib(long pid) {
        return readStatusField(pid, "VmRSS");
    }

    private static long readStatusField(long pid, String name) {
        try {
            String status = Files.readString(Path.of("/proc", Long.toString(pid), "status"));
            return number(status, name + ":\\s+([0-9]+) kB");
        } catch (IOException e) {
            throw new UserFacingError("Process " + pid + " ended while it was measured.", e);
        }
    }

    private static long parseCommitted(String text, String name) {
        String pattern = name.equals("Total: ") ? "Total: " : "-\\s+" + name + " \\(";
        return number(text, pattern + "reserved=[0-9]+KB, committed=([0-9]+)KB");
    }

    private static long number(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        if (!matcher.find()) {
            throw new UserFacingError("Nothing looks like " + pattern + " in:\n" + text);
        }
        return Long.parseLong(matcher.group(1));
    }
}
