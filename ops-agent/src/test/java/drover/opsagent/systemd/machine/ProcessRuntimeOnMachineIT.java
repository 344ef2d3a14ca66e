package drover.opsagent.systemd.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Programs of the process runtime whose agent is a unit with unusual settings. */
class ProcessRuntimeOnMachineIT extends SystemdMachineNode {
    private static final String STARTS_PROGRAMS =
            "drover.opsagent.runtime.process.InheritedAttributeDefaultsTest$StartsPrograms";

    /** SIGHUP, SIGINT and SIGPIPE; systemd ignores the last one for each unit. */
    private static final long HUP_INT_PIPE = 1L << 0 | 1L << 1 | 1L << 12;

    @Test
    @DisplayName("B16 B28: umask and signals are defined, whatever unit the agent is")
    void programsAndProbesGetDefaults() throws IOException {
        machine.run("mkdir", "--mode=777", "/exchange/out");
        String agent =
                """
                umask 077
                trap '' HUP INT
                exec %s/bin/java --enable-native-access=ALL-UNNAMED -cp %s '%s' /exchange/out >&2
                """
                        .formatted(System.getProperty("java.home"), classPath, STARTS_PROGRAMS);
        machine.run(
                "systemd-run",
                "--wait",
                "--pipe",
                "--quiet",
                "--property=UMask=0077",
                "sh",
                "-c",
                agent);
        for (String status : new String[] {"program", "probe"}) {
            String text = Files.readString(machine.at("/exchange/out/" + status));
            assertThat(text).as(status).contains("Umask:\t0022\n");
            assertThat(ignored(text) & HUP_INT_PIPE).as(status + " " + text).isZero();
        }
    }

    private static long ignored(String status) {
        return status.lines()
                .filter(line -> line.startsWith("SigIgn:"))
                .mapToLong(line -> Long.parseUnsignedLong(line.substring(7).strip(), 16))
                .findFirst()
                .orElseThrow();
    }
}
