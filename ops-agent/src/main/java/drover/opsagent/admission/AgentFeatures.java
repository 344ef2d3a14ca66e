package drover.opsagent.admission;

import java.util.Set;
import java.util.TreeSet;

/** Features of this version of the agent, matched against those that command bodies require. */
public final class AgentFeatures {
    /** Features of each agent. */
    public static final Set<String> ALL_AGENTS =
            Set.of(
                    "upgrade/1",
                    "restore/1",
                    "restore-by-address/1",
                    "clear/1",
                    "withdraw/1",
                    "preflight/1",
                    "log/1",
                    "stop-settings/1",
                    "program-written/1",
                    "cluster-role/1");

    /** Additional feature of an agent that has its own jar. */
    public static final String AGENT_UPGRADE = "agent-upgrade/1";

    private AgentFeatures() {}

    /**
     * Features of one agent.
     *
     * @param selfUpgradable whether it has its own jar
     */
    public static Set<String> of(boolean selfUpgradable) {
        Set<String> all = new TreeSet<>(ALL_AGENTS);
        if (selfUpgradable) {
            all.add(AGENT_UPGRADE);
        }
        return Set.copyOf(all);
    }
}
