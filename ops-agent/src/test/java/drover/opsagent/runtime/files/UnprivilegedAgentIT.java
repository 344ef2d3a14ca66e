package drover.opsagent.runtime.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import drover.opsagent.main.InstalledNode;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * An agent of an ordinary user, on files and processes that it may not have its way with. It may
 * read all files, so that it finds its classes wherever they are.
 */
class UnprivilegedAgentIT extends InstalledNode {
    private static final String OTHER_USER = "65534";

    @BeforeEach
    void theNodeIsOfAnotherUser() {
        assumeTrue(
                System.getProperty("user.name").equals("root")
                        && Tool.run("setpriv", "--version") == 0,
                "Only root can start an agent of another user, by setpriv");
        assertThat(Tool.run("chown", "-R", OTHER_USER + ":" + OTHER_USER, directory.toString()))
                .isZero();
    }

    private String runAgent() {
        return Tool.output(
                "setpriv",
                "--reuid=" + OTHER_USER,
                "--regid=" + OTHER_USER,
                "--clear-groups",
                "--inh-caps=-all,+dac_read_search",
                "--ambient-caps=+dac_read_search",
                "--bounding-set=-all,+dac_read_search,+net_raw",
                System.getProperty("java.home") + "/bin/java",
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                UnprivilegedAgentMain.class.getName(),
                directory.toString());
    }

    @Test
    @DisplayName("B02: a program with a capability runs, may not be inspected, and keeps running")
    void refusesAProcessThatItMayNotInspect() {
        assumeTrue(
                Tool.run("setcap", "cap_net_raw+ep", root.resolve("bin/app").toString()) == 0,
                "setcap is missing, or the kernel forbids it");
        assertThat(runAgent())
                .contains("running digest ''")
                .contains("finding NOT_INSPECTABLE")
                .contains("ATTEMPT_OUTCOME_REFUSED NOT_INSPECTABLE")
                .contains("same run true");
    }

    @Test
    @DisplayName("B03: a group that the agent cannot give is found before the program is stopped")
    void refusesAGroupThatItMayNotAssign() throws IOException {
        String config = root.resolve("etc/app.toml").toString();
        assertThat(Tool.run("chgrp", "daemon", config)).isZero();
        assertThat(runAgent())
                .contains("ATTEMPT_OUTCOME_FAILED DISK_ERROR")
                .contains("cannot replace /etc/app.toml")
                .contains("the group daemon: Operation not permitted")
                .contains("same run true");
    }

    @Test
    @DisplayName("An ordinary user's agent upgrades what is its own")
    void upgradesItsOwnFiles() {
        assertThat(runAgent()).contains("ATTEMPT_OUTCOME_SUCCEEDED").doesNotContain("finding");
    }
}
