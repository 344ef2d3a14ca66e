package drover.opsagent.systemd;

import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.SystemTicker;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Holds the real systemd to the contract. It runs inside a machine that {@code SystemdRuntimeIT}
 * boots, where there is no test engine: a program of its own that says what was kept.
 */
public final class SystemctlUnitsContractMain {
    private static final Path INSIDE = Path.of("/run/host/container-manager"); // nspawn's own mark

    private SystemctlUnitsContractMain() {}

    /** Runs every test of the contract; prints a line for each, and for all. */
    public static void main(String[] arguments) throws ReflectiveOperationException, IOException {
        if (!Files.exists(INSIDE)) {
            throw new IllegalStateException("This is no machine of a test: nothing is done on it.");
        }
        int broken = 0;
        for (Method method : UnitsContract.class.getDeclaredMethods()) {
            if (method.isAnnotationPresent(Test.class)) {
                broken += isKept(method) ? 0 : 1;
            }
        }
        System.out.println("broken: " + broken);
    }

    private static boolean isKept(Method method) throws ReflectiveOperationException, IOException {
        Contract contract = new Contract();
        try {
            method.invoke(contract);
            System.out.println("kept: " + method.getName());
            return true;
        } catch (InvocationTargetException e) {
            System.out.println("BROKEN: " + method.getName() + ": " + e.getCause());
            return false;
        } finally {
            contract.nothingRuns();
        }
    }

    /** Private, so that no test engine takes it for a test of the machine that runs the build. */
    private static final class Contract extends UnitsContract {
        private final SystemTicker ticker = new SystemTicker();
        private final SystemctlUnits units = new SystemctlUnits(ticker);
        private final StartGate gate =
                new DropInGate(
                        new DurableFiles(new LocalDisk(), new SecureRandom()), StartGate.UNITS);

        @Override
        SystemdUnits units() {
            return units;
        }

        @Override
        Deadline deadline() {
            return ticker.deadlineIn(Duration.ofSeconds(30));
        }

        @Override
        void write(String unitFile) throws IOException {
            Files.writeString(StartGate.UNITS.resolve(PROBE.value()), unitFile);
        }

        @Override
        void gate(boolean closed) {
            if (closed) {
                gate.close(PROBE);
            } else {
                gate.open(PROBE);
            }
        }

        @Override
        String runs() {
            return "ExecStart=/usr/bin/sleep 600";
        }

        @Override
        String leavesBehind() {
            return "ExecStart=/bin/sh -c '/usr/bin/sleep 600 & exec /usr/bin/sleep 600'";
        }

        @Override
        String falls() {
            return "ExecStart=/usr/bin/false";
        }

        @Override
        void fall(long pid) {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        }
    }
}
