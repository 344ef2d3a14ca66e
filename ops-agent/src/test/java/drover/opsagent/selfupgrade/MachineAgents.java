package drover.opsagent.selfupgrade;

import drover.opsagent.systemd.machine.SystemdMachine;
import java.util.Arrays;
import java.util.List;

/** What a machine says of the agents that run on it, and of their units. */
record MachineAgents(SystemdMachine machine) {
    private static final String LOCK = "/var/lib/drover-agent/executor.lock";

    /** Every process that runs an agent's jar, as executor or as standby; no self-test. */
    List<Long> running() {
        String script =
                "for p in /proc/[0-9]*; do { tr '\\0' ' ' < $p/cmdline; } 2>/dev/null"
                        + " | grep -v -e --self-test | grep -q '^/[^ ]*java .*/drover-agent.jar '"
                        + " && echo ${p#/proc/}; done; true";
        return numbers(machine.run("sh", "-c", script));
    }

    /** Processes that hold the executor lock, as the kernel has it. */
    List<Long> lockHolders() {
        String script =
                "i=$(stat -c %i "
                        + LOCK
                        + " 2>/dev/null) && grep \":$i \" /proc/locks | awk '{print $5}'";
        return numbers(machine.query("sh", "-c", script));
    }

    private static List<Long> numbers(String lines) {
        return lines.lines().map(String::strip).map(Long::valueOf).toList();
    }

    /** Number of a unit's main process; 0 when there is none. */
    long mainPid(String unit) {
        return Long.parseLong(property(unit, "MainPID"));
    }

    String property(String unit, String name) {
        return machine.run("systemctl", "show", "--value", "-p", name, unit).strip();
    }

    /** What the machine's clock says, in seconds. */
    String now() {
        return machine.run("date", "+%s").strip();
    }

    /** What systemd and the unit itself have said since then. */
    String journal(String unit, String since) {
        return machine.query("journalctl", "--output=cat", "--since=@" + since, "--unit=" + unit);
    }

    /** Ends the unit's main process as nothing else does. */
    void kill(String unit) {
        machine.run("sh", "-c", "kill -9 " + mainPid(unit));
    }

    /** One line of what the kernel says of a unit's main process. */
    String kernelValue(String unit, String name) {
        String status = machine.run("cat", "/proc/" + mainPid(unit) + "/status");
        return Arrays.stream(status.split("\n", -1))
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElse("");
    }

    /** What comes of making a file as the unit's main process sees the disk; it is gone again. */
    String makes(String unit, String file) {
        String script = "touch " + file + " && rm " + file;
        String pid = Long.toString(mainPid(unit));
        return machine.query("nsenter", "--target", pid, "--mount", "--", "sh", "-c", script);
    }
}
