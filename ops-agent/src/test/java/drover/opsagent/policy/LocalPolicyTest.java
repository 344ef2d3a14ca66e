package drover.opsagent.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.NodePath;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a policy lets be touched. */
class LocalPolicyTest {
    private final LocalPolicy policy =
            new LocalPolicy(
                    true,
                    List.of(new NodePath("/opt/app"), new NodePath("/etc/app")),
                    Set.of("app.service"),
                    Set.of("app"),
                    Set.of());

    @ParameterizedTest
    @CsvSource({
        "/opt/app/bin/app, true",
        "/etc/app/app.toml, true",
        "/opt/app, false",
        "/opt/application/app, false",
        "/etc/app.toml, false",
        "/etc/passwd, false",
        "/etc/systemd/system/app.service, true",
        "/etc/systemd/system/app.service.d/limits.conf, true",
        "/etc/systemd/system/app.service.d/limits.sh, false",
        "/etc/systemd/system/app.service.d/deeper/limits.conf, false",
        "/etc/systemd/system/other.service, false",
        "/etc/systemd/system/app.service.wants, false",
        "/usr/lib/systemd/system/app.service, false"
    })
    @DisplayName("H11: only files under a listed root, and the files of a listed unit, are written")
    void writesOnlyWhatIsListed(String path, boolean allowed) {
        assertThat(policy.mayWrite(new NodePath(path))).isEqualTo(allowed);
    }

    @Test
    @DisplayName("H11: only listed units and containers are touched")
    void controlsOnlyWhatIsListed() {
        assertThat(policy.mayControlUnit("app.service")).isTrue();
        assertThat(policy.mayControlUnit("sshd.service")).isFalse();
        assertThat(policy.mayControlContainer("app")).isTrue();
        assertThat(policy.mayControlContainer("other")).isFalse();
    }

    @Test
    void withoutBoundsEverythingUnderTheRootMayBeModified() {
        assertThat(LocalPolicy.WHOLE_ROOT.mayWrite(new NodePath("/any/where"))).isTrue();
        assertThat(LocalPolicy.WHOLE_ROOT.mayControlUnit("any.service")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/etc",
                "/etc/ssh",
                "/etc/cron.d",
                "/etc/systemd/system",
                "/root/.ssh",
                "/proc/1",
                "/usr",
                "/usr/lib",
                "/var"
            })
    @DisplayName("H11: no root reaches units, sudoers, ssh, cron or the loader")
    void refusesARootThatReachesTooFar(String root) {
        assertThatThrownBy(() -> policy(List.of(new NodePath(root)), Set.of(), Set.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("The policy lists root " + root + ", which reaches ")
                .hasMessageEndingWith(": list directories of the programs alone.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"app", "a b.service", "../app.service", "-x.socket", "a;b.service", ""})
    @DisplayName("H15: a unit's name matches a strict grammar")
    void refusesANameThatIsNoUnits(String unit) {
        assertThatThrownBy(() -> policy(List.of(), Set.of(unit), Set.of()))
                .hasMessage("The policy lists '" + unit + "', which is no name of a unit.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-app", "a/b", "a b", "$(x)"})
    @DisplayName("H15: so does a container's")
    void refusesANameThatIsNoContainers(String name) {
        assertThatThrownBy(() -> policy(List.of(), Set.of(), Set.of(name)))
                .hasMessage("The policy lists '" + name + "', which is no name of a container.");
    }

    private static LocalPolicy policy(
            List<NodePath> roots, Set<String> units, Set<String> containers) {
        return new LocalPolicy(true, roots, units, containers, Set.of());
    }
}
