"""Chat models: which one a string such as ``offline:rules`` or ``openai:gpt-5-mini`` means, and the offline brain."""
