package drover.opsagent.trust;

import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.script.Work;

/** Decides whether work that would install something may begin at all. */
public interface ReleaseGate {
    /** For a node whose owner asks for no signatures: digests are enough. */
    ReleaseGate OPEN = (upgrade, _) -> upgrade;

    /**
     * Admits the work, with its download bounded by what was signed (E4), and remembers durably
     * what it has seen before it answers (E6).
     *
     * @param release envelope that came along; empty when there was none
     * @throws ActionFailed with the reason when the work is not believed; nothing was touched
     */
    Work.Upgrade admit(Work.Upgrade upgrade, byte[] release);
}
