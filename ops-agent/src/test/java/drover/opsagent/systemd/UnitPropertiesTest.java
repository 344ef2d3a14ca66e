package drover.opsagent.systemd;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reading what {@code systemctl show} prints. */
class UnitPropertiesTest {
    @Test
    void readsOnlyTheRequestedFile() {
        UnitProperties view =
                UnitProperties.parse(
                        """
                        LoadState=loaded
                        ActiveState=active
                        MainPID=51
                        NRestarts=2
                        InvocationID=68d65d87f7654af394bc6885c43efc26
                        ControlGroup=/system.slice/app.service
                        Description=MainPID=7
                        a line that is none
                        """);
        assertThat(view.isLoaded()).isTrue();
        assertThat(view.isUp()).isTrue();
        assertThat(view.mainPid()).isEqualTo(51);
        assertThat(view.restarts()).isEqualTo(2);
        assertThat(view.invocation()).isEqualTo("68d65d87f7654af394bc6885c43efc26");
        assertThat(view.controlGroup()).isEqualTo("/system.slice/app.service");
        assertThat(view.values()).doesNotContainKey("Description");
    }

    @ParameterizedTest
    @CsvSource({
        "active, 51, up",
        "reloading, 51, up",
        "active, 0, neither",
        "activating, 51, neither",
        "deactivating, 51, neither",
        "inactive, 0, down",
        "failed, 0, down",
    })
    void aUnitIsUpOrDownOrOnItsWay(String active, String pid, String properties) {
        UnitProperties view = new UnitProperties(Map.of("ActiveState", active, "MainPID", pid));
        assertThat(view.isUp()).isEqualTo(properties.equals("up"));
        assertThat(view.isDown()).isEqualTo(properties.equals("down"));
    }

    @ParameterizedTest
    @CsvSource({"1, 3, 3", "2, 9, 137", "3, 11, 139", "0, 0, -1", "'', 0, -1"})
    void readsTheExitCodeOfTheLastRun(String code, String status, int exitCode) {
        UnitProperties view =
                new UnitProperties(Map.of("ExecMainCode", code, "ExecMainStatus", status));
        assertThat(view.exitCode().orElse(-1)).isEqualTo(exitCode);
    }

    @Test
    void aQueuedStartIsComing() {
        UnitProperties view = new UnitProperties(Map.of("ActiveState", "inactive", "Job", "812"));
        assertThat(view.isUpOrStarting()).isTrue();
    }

    @Test
    void whatIsNoNumberCountsAsNone() {
        UnitProperties view = new UnitProperties(Map.of("MainPID", "[not set]", "NRestarts", ""));
        assertThat(view.mainPid()).isZero();
        assertThat(view.restarts()).isZero();
    }
}
