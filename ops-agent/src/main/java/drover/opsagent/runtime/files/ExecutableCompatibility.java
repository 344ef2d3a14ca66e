package drover.opsagent.runtime.files;

import java.util.Map;
import java.util.Set;

/** Which programs this machine can run, by what is written at their beginning. Pure. */
final class ExecutableCompatibility {
    private static final int MACHINE_AT = 18; // e_machine, after the identification and the type

    /** Numbers of the ELF format, and what people call them. */
    private static final Map<Integer, String> NAMES =
            Map.of(3, "386", 21, "ppc64", 22, "s390x", 40, "arm", 62, "amd64", 183, "arm64");

    /** What runs on a machine, each with the 32-bit programs that it also takes. */
    private static final Map<String, Set<Integer>> RUNS =
            Map.of(
                    "amd64", Set.of(62, 3),
                    "x86_64", Set.of(62, 3),
                    "aarch64", Set.of(183, 40),
                    "ppc64le", Set.of(21),
                    "s390x", Set.of(22));

    private ExecutableCompatibility() {}

    /**
     * Why a program cannot run here, in one sentence; empty when it can, and when nothing is known
     * of the machine or the program is none of its own code.
     *
     * @param first bytes that it begins with
     * @param machine what the Java runtime calls this machine
     */
    static String findIncompatibility(byte[] first, String machine) {
        Set<Integer> runs = RUNS.get(machine);
        if (runs == null || !isElf(first)) {
            return "";
        }
        int number = machineNumber(first);
        return runs.contains(number)
                ? ""
                : "The artifact is a program for "
                        + NAMES.getOrDefault(number, "another machine (" + number + ")")
                        + ", this machine is "
                        + machine
                        + ": give the manifest an artifact for this platform.";
    }

    private static boolean isElf(byte[] first) {
        return first.length > MACHINE_AT + 1
                && first[0] == 0x7f
                && first[1] == 'E'
                && first[2] == 'L'
                && first[3] == 'F';
    }

    /** The fifth byte says which end comes first: 2 is the big one. */
    private static int machineNumber(byte[] first) {
        int one = first[MACHINE_AT] & 0xff;
        int two = first[MACHINE_AT + 1] & 0xff;
        return first[5] == 2 ? one << 8 | two : two << 8 | one;
    }
}
