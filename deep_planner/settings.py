"""Settings: defaults, then ``deep_planner.toml``, then ``DEEP_PLANNER_*``, then what the caller says (A47, D20)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from tools.core.clock import FALLBACK_ZONE, machine_zone, zone_named
from tools.core.errors import UsageError
from tools.core.run_settings import PlannerContext, RunSettings

FILE = "deep_planner.toml"


def default_database() -> str:
    """The SQLite file in the platform's user-data folder."""
    from platformdirs import user_data_path  # noqa: PLC0415 - only when no database is named

    return str(user_data_path("deep-planner") / "planner.db")


class Settings(RunSettings, BaseSettings):
    """What can be set; keys of services come from the environment by their own names and stand nowhere here."""

    model_config = SettingsConfigDict(env_prefix="DEEP_PLANNER_", toml_file=FILE, extra="forbid")

    database: str = Field(default_factory=default_database, description="SQLite file, or an SQLAlchemy URL.")
    model: str = Field("offline:rules", description="provider:model that plans and works.")
    light_model: str | None = Field(None, description="provider:model that sorts and writes notes; else `model`.")
    base_url: str | None = Field(None, description="Base URL of an OpenAI-compatible service.")
    fallback_models: tuple[str, ...] = Field((), description="provider:model strings, asked when a model is down.")
    offline_fallback: bool = Field(False, description="At the very last, let offline:rules go on in their place.")
    tool_calling: Literal["native", "text"] = Field("native", description="text: for models without tool calling.")
    model_attempts: int = Field(3, ge=1, description="How often one model is asked for one answer.")
    model_silence: float = Field(60, gt=0, description="Seconds without a word after which an answer counts as lost.")
    weather_file: Path | None = Field(None, description="Forecasts from this file instead of the network.")
    weather_provider: Literal["open-meteo", "qweather", "openweathermap"] = Field(
        "open-meteo", description="Who is asked for the weather; keys are QWEATHER_API_KEY and OPENWEATHERMAP_API_KEY."
    )
    mcp_file: Path | None = Field(None, description="Servers whose tools are used, by the Model Context Protocol.")
    subagents_folder: Path | None = Field(None, description="Sub-agents of your own, one Markdown or YAML file each.")
    qweather_host: str | None = Field(None, description="Your account's host at QWeather, or a base URL.")
    openweathermap_base_url: str = Field("https://api.openweathermap.org", description="OpenWeatherMap service.")
    weather_base_url: str = Field("https://api.open-meteo.com", description="Open-Meteo forecast service.")
    geocoding_base_url: str = Field("https://geocoding-api.open-meteo.com", description="Open-Meteo geocoding.")
    thinking: bool | None = Field(None, description="Whether models think before they answer; else as they do anyway.")
    title_embeddings: str | None = Field(
        None, description="dashscope:NAME; offers tasks whose titles mean what you said in other words."
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments beat the environment, the environment beats the file."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)

    @classmethod
    def load(cls, **given: Any) -> Settings:
        """Settings with the caller's values over all others; ``None`` means not given.

        Raises:
            UsageError: A value that cannot be, or a broken file; names the setting.
        """
        try:
            settings = cls(**{name: value for name, value in given.items() if value is not None})
        except ValidationError as error:
            fault = error.errors()[0]
            name = ".".join(str(part) for part in fault["loc"])
            raise UsageError("bad_setting", name=name, value=fault["input"], reason=fault["msg"]) from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise UsageError("bad_setting", name=FILE, value="", reason=str(error)) from error
        zone_named(settings.zone)
        return settings

    @property
    def zone(self) -> str:
        """The user's zone, else the machine's, else Asia/Shanghai (P20)."""
        return self.timezone or machine_zone() or FALLBACK_ZONE

    @property
    def url(self) -> str:
        """The database as an SQLAlchemy URL."""
        return self.database if "://" in self.database else f"sqlite+aiosqlite:///{Path(self.database).expanduser()}"

    def context(self) -> PlannerContext:
        """The part that LangGraph knows as the run's context."""
        values = {name: getattr(self, name) for name in RunSettings.model_fields}
        return PlannerContext(**{**values, "timezone": self.zone})
