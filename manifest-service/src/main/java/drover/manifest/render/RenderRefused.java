package drover.manifest.render;

import drover.model.RefusalCode;

/** A refusal on its way out of the renderer's loops; it becomes a value at the renderer's edge. */
final class RenderRefused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient RenderOutcome.Refusal refusal;

    RenderRefused(RefusalCode code, String sentence) {
        super(sentence, null, false, false);
        refusal = new RenderOutcome.Refusal(code, sentence);
    }

    RenderOutcome.Refusal refusal() {
        return refusal;
    }
}
