package drover.opsagent.selfupgrade;

import drover.opsagent.time.Deadline;
import java.nio.file.Path;

/** Lets a version test itself before anything depends on it. */
@FunctionalInterface
public interface VersionSelfTest {
    /**
     * Comes back when the jar has said that it is this version and well.
     *
     * @throws drover.opsagent.runtime.ActionFailed with what it said otherwise
     */
    void test(Path jar, AgentVersionNumber version, Deadline deadline);
}
